import assert from "node:assert/strict";
import { test } from "node:test";

import { isOther } from "../../../src/maxmargin/app/static/tabs.js";

test("works differ by their steps and by the position among them", () => {
  const work = { id: "a", position: 1, steps: [{ text: "first fit" }, { text: "merged" }] };
  assert.ok(!isOther(work, { ...work, changed: 3 }));
  assert.ok(isOther(work, { ...work, position: 0 }));
  assert.ok(isOther(work, { ...work, steps: [{ text: "first fit" }, { text: "split" }] }));
});
