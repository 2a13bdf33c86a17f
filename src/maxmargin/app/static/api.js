// Requests to the server, and the progress of its jobs.

export class ApiError extends Error {}

const ENDED = ["done", "failed", "cancelled"];

async function answer(response) {
  if (response.ok) return response;
  let detail = `The app answered ${response.status}.`;
  try {
    detail = (await response.json()).detail || detail;
  } catch {
    /* no text */
  }
  throw new ApiError(detail);
}

async function request(path, options) {
  let response;
  try {
    response = await fetch(`/api${path}`, options);
  } catch {
    throw new ApiError("The app does not answer: it may have been ended in the terminal.");
  }
  return answer(response);
}

export const get = async (path) => (await request(path)).json();
export const bytes = async (path) => (await request(path)).arrayBuffer();
export const remove = (path) => request(path, { method: "DELETE" });

export async function post(path, body) {
  const response = await request(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  return response.json();
}

// What is empty of how text is written is found out by the server.
export async function upload(file, reading) {
  const form = new FormData();
  form.append("file", file);
  for (const [key, value] of Object.entries(reading)) if (value) form.append(key, value);
  return (await request("/datasets", { method: "POST", body: form })).json();
}

// The error for a job that has ended without a result.
export function failure(job) {
  return Object.assign(new ApiError(job.reason), { cancelled: job.state === "cancelled" });
}

// Follow a job until it has ended; resolve with what is known of it then.
export function follow(job, show) {
  return new Promise((resolve, reject) => {
    const source = new EventSource(`/api/jobs/${job.id}/events`);
    let lost = 0;
    source.onmessage = (event) => {
      lost = 0;
      const last = JSON.parse(event.data);
      show(last);
      if (!ENDED.includes(last.state)) return;
      source.close();
      if (last.state === "done") resolve(last);
      else reject(failure(last));
    };
    source.onerror = () => {
      lost += 1;
      if (source.readyState !== EventSource.CLOSED && lost <= 2) return;
      source.close();
      const text = "The progress of the run cannot be followed any more: load the page again.";
      reject(new ApiError(text));
    };
  });
}
