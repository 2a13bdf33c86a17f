// Requests to the server, and the progress of its jobs.

export class ApiError extends Error {}

async function answer(response) {
  if (response.ok) return response;
  let detail = `The app answered ${response.status}.`;
  try { detail = (await response.json()).detail || detail; } catch { /* no text */ }
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
export const post = async (path, body) => (await request(path, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body ?? {}),
})).json();

export async function upload(file) {
  const form = new FormData();
  form.append("file", file);
  return (await request("/datasets", { method: "POST", body: form })).json();
}

// Follow a job until it has ended; resolve with what is known of it then.
export function follow(job, show) {
  return new Promise((resolve, reject) => {
    const source = new EventSource(`/api/jobs/${job.id}/events`);
    let last = job;
    let lost = 0;
    source.onmessage = (event) => {
      lost = 0;
      last = JSON.parse(event.data);
      show(last);
      if (["done", "failed", "cancelled"].includes(last.state)) {
        source.close();
        if (last.state === "done") resolve(last);
        else reject(Object.assign(new ApiError(last.reason), { cancelled: last.state === "cancelled" }));
      }
    };
    source.onerror = () => {
      lost += 1;
      if (source.readyState === EventSource.CLOSED || lost > 2) {
        source.close();
        reject(new ApiError("The progress of the run cannot be followed any more: load the page again."));
      }
    };
  });
}
