import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import * as api from "../../../src/maxmargin/app/static/api.js";

const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

// Answer all requests so, and note them.
function answering(status, content) {
  const asked = [];
  globalThis.fetch = async (path, options) => {
    asked.push([path, options]);
    return new Response(content, { status });
  };
  return asked;
}

test("a record is sent and received as JSON", async () => {
  const asked = answering(200, '{"id": "7"}');
  assert.deepEqual(await api.post("/works", { clusters: 3 }), { id: "7" });
  const [[path, { method, body }]] = asked;
  assert.deepEqual([path, method, body], ["/api/works", "POST", '{"clusters":3}']);
  await api.post("/works/7/undo");
  assert.equal(asked[1][1].body, "{}");
});

test("an error has the words of the server", async () => {
  answering(422, '{"detail": "There is no column x."}');
  const error = await api.get("/works").catch((reason) => reason);
  assert.ok(error instanceof api.ApiError);
  assert.equal(error.message, "There is no column x.");
});

test("an error without words has its number", async () => {
  answering(500, "<html>");
  await assert.rejects(api.get("/works"), { message: "The app answered 500." });
});

test("a server that is gone is told in words", async () => {
  globalThis.fetch = () => Promise.reject(new TypeError("fetch failed"));
  await assert.rejects(api.get("/works"), /does not answer/);
});

test("a job that was cancelled is not a failure to be alarmed by", () => {
  assert.equal(
    api.failure({ state: "cancelled", reason: "The run was cancelled." }).cancelled,
    true,
  );
  const failed = api.failure({ state: "failed", reason: "Too large." });
  assert.deepEqual([failed.cancelled, failed.message], [false, "Too large."]);
});
