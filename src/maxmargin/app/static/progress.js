// The progress of a job, with a button to cancel it.

import * as api from "./api.js";
import { button, fill, h } from "./dom.js";
import { guard } from "./guard.js";

export function showProgress(place, job, text, name) {
  place.hidden = false;
  const known = job.share ? { value: job.share } : {}; // without a share the bar moves
  const bar = h("progress", { max: "1", ...known, "aria-label": name });
  fill(
    place,
    h("div", { class: "text" }, h("span", {}, text), bar),
    button("Cancel", () => guard(() => api.remove(`/jobs/${job.id}`))),
  );
}
