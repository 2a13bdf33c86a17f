import assert from "node:assert/strict";
import { test } from "node:test";

import * as flows from "../../../src/maxmargin/app/static/flows.js";

const SNAPSHOTS = [
  { objects: 10, sizes: [6, 4] },
  { objects: 13, sizes: [3, 10] },
];
const UNIT = 10; // 130 of the height for 13 objects

test("the largest snapshot has the height of the picture", () => {
  assert.equal(flows.unitOf(SNAPSHOTS), UNIT);
});

test("bars stand on each other", () => {
  assert.deepEqual(flows.starts([6, 0, 4], UNIT), [4, 64, 64]);
  assert.deepEqual(flows.bars([3, 10], 1, UNIT), [
    { x: 66, y: 4, width: 12, height: 30 },
    { x: 66, y: 34, width: 12, height: 100 },
  ]);
  assert.equal(flows.barMiddle(1), 72);
});

test("the picture is as wide as its bars and what is between them", () => {
  assert.equal(flows.pictureWidth(1), 52);
  assert.equal(flows.pictureWidth(3), flows.barLeft(2) + 12 + 20);
});

test("bands begin and end beside each other, and nothing has none", () => {
  const table = [
    [3, 2],
    [0, 4],
  ];
  const found = flows.bands(table, 0, SNAPSHOTS, UNIT);
  assert.deepEqual(
    found.map(({ from, to, count }) => [from, to, count]),
    [
      [0, 0, 3],
      [0, 1, 2],
      [1, 1, 4],
    ],
  );
  const ends = found.map(({ path }) => path.match(/^M32 (\d+)C49 \1 49 (\d+) 66 \2v(\d+)C/));
  assert.deepEqual(
    ends.map(([, start, end, height]) => [start, end, height].map(Number)),
    [
      [4, 4, 30],
      [34, 34, 20],
      [64, 54, 40],
    ],
  );
  assert.equal(found[0].path, "M32 4C49 4 49 4 66 4v30C49 34 49 34 32 34z");
});
