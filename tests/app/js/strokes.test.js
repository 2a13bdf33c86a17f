import assert from "node:assert/strict";
import { test } from "node:test";

import * as strokes from "../../../src/maxmargin/app/static/strokes.js";

const painted = (...segments) => segments.map((segment) => ({ segment }));

test("strokes decide on the number of segments, and without them the choice", () => {
  assert.equal(strokes.segmentCount(painted(1, 3, 3, 2), 5), 3);
  assert.equal(strokes.segmentCount([], 5), 5);
  assert.equal(strokes.segmentCount(painted(1), 5), 2);
});

test("strokes of one segment are not enough", () => {
  assert.ok(strokes.isOneSided(painted(1, 1)));
  assert.ok(!strokes.isOneSided(painted(1, 2)));
  assert.ok(!strokes.isOneSided([]));
});

test("there is one brush more than segments, and at most eight", () => {
  assert.equal(strokes.brushCount([]), 3);
  assert.equal(strokes.brushCount(painted(1, 4)), 5);
  assert.equal(strokes.brushCount(painted(8)), 8);
});

test("a place on the screen is a pixel of the image", () => {
  const box = { left: 100, top: 50, width: 200, height: 100 };
  assert.deepEqual(strokes.pixelAt(100, 50, box, 640, 320), [0, 0]);
  assert.deepEqual(strokes.pixelAt(201, 100, box, 640, 320), [323.2, 160]);
});

test("an image fills the room, at most four times its size", () => {
  const width = (image, room, height = 900) => strokes.shownWidth(image, room, height);
  const wide = { width: 600, height: 300 };
  assert.equal(width(wide, { width: 826, height: 626 }), 800);
  assert.equal(width(wide, { width: 2026, height: 326 }), 600);
  assert.equal(width({ width: 20, height: 20 }, { width: 826, height: 626 }), 80);
  assert.equal(width(wide, { width: 0, height: 0 }), null);
  // The height of a small window counts, but not below a least one.
  const high = { width: 100, height: 110 };
  assert.equal(width(high, { width: 2026, height: 900 }, 356), 300);
  assert.equal(width(high, { width: 2026, height: 900 }, 50), 200);
});
