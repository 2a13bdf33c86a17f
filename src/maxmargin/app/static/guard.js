// Errors of requests are told to the user, all others to the console as well.

import { ApiError } from "./api.js";
import { say } from "./dom.js";

export function tell(error) {
  if (!(error instanceof ApiError)) console.error(error);
  say(error.message, error.cancelled ? "" : "error");
}

// The result of an asynchronous function, or null if it failed.
export async function guard(work) {
  try {
    return await work();
  } catch (error) {
    tell(error);
    return null;
  }
}
