import assert from "node:assert/strict";
import { test } from "node:test";

import * as numbers from "../../../src/maxmargin/app/static/numbers.js";

test("the slider goes beyond the numbers that are shown, as far as the tree", () => {
  assert.equal(numbers.sliderEnd({ most: 100, shown: [2, 3] }, 3), 20);
  assert.equal(numbers.sliderEnd({ most: 100, shown: [2, 12] }, 3), 36);
  assert.equal(numbers.sliderEnd({ most: 15, shown: [2, 12] }, 3), 15);
});

test("scores are placed by the logarithm of the number", () => {
  const scores = [
    [1, 0],
    [2, -5],
    [4, 1],
  ];
  const { points, zero } = numbers.plotScores(scores, 100, 50);
  assert.deepEqual(
    points.map(({ x }) => Math.round(x)),
    [0, 50, 100],
  );
  assert.equal(points[2].y, 0); // the best one is at the top
  assert.equal(points[1].y, 50); // far below 0 is at the bottom
  assert.equal(zero, points[0].y);
});

test("one cluster alone can be drawn", () => {
  const { points } = numbers.plotScores([[1, 0]], 100, 50);
  assert.ok(points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y)));
});

test("what a level changes", () => {
  const labels = [0, 0, 1, 1, 2];
  const finer = numbers.changes(labels, [0, 3, 1, 1, 2]);
  assert.deepEqual(finer, { split: [{ id: 0, parts: 2 }], joined: [] });
  const coarser = numbers.changes(labels, [0, 0, 1, 1, 0]);
  assert.deepEqual(coarser, { split: [], joined: [[0, 2]] });
  const name = (id) => `c${id}`;
  assert.equal(numbers.changeText(finer, name), "splits c0 into 2");
  assert.equal(numbers.changeText(coarser, name), "joins c0, c2");
  const all = numbers.changes([0, 0, 1, 1, 2, 2], [0, 3, 1, 4, 2, 5]);
  assert.equal(numbers.changeText(all, name), "splits c0 into 2, splits c1 into 2, and 1 more");
});
