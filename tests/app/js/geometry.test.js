import assert from "node:assert/strict";
import { test } from "node:test";

import * as geometry from "../../../src/maxmargin/app/static/geometry.js";

const SQUARE = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
];

// Positions between -1 and 1, always the same.
function positions(n) {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  return Float32Array.from({ length: 2 * n }, next);
}

function naiveNearest(xy, view, [px, py], shown, reach) {
  let best = null;
  let least = reach;
  for (let i = 0; i < xy.length / 2; i += 1) {
    if (shown && !shown[i]) continue;
    const [x, y] = geometry.toScreen(view, xy[2 * i], xy[2 * i + 1]);
    const distance = Math.hypot(x - px, y - py);
    if (distance < least) [least, best] = [distance, i];
  }
  return best;
}

test("the view of all points has them inside a margin, in the middle", () => {
  const view = geometry.viewOfAll(Float32Array.of(-1, -0.5, 0.5, 0.5), 648, 448);
  assert.equal(view.zoom, 400);
  assert.deepEqual(geometry.toScreen(view, -1, -0.5), [24, 24]);
  assert.deepEqual(geometry.toScreen(view, 0.5, 0.5), [624, 424]);
});

test("without points, and with one, the view is finite", () => {
  assert.deepEqual(geometry.viewOfAll(new Float32Array(), 248, 148), { zoom: 50, x: 124, y: 74 });
  const one = geometry.viewOfAll(Float32Array.of(0.25, 0.25), 248, 148);
  assert.deepEqual(geometry.toScreen(one, 0.25, 0.25), [124, 74]);
});

test("zoom keeps the pixel under the pointer and stays within its limits", () => {
  const view = { zoom: 100, x: 30, y: -20 };
  const near = geometry.zoomed(view, 80, 60, 2, 100);
  assert.equal(near.zoom, 200);
  assert.deepEqual(geometry.toScreen(near, 0.5, 0.8), [80, 60]);
  assert.equal(geometry.zoomed(view, 0, 0, 1e9, 100).zoom, 40000);
  assert.equal(geometry.zoomed(view, 0, 0, 1e-9, 100).zoom, 25);
});

test("two fingers zoom by the change of their distance", () => {
  const change = geometry.pinch([10, 0], [20, 0], [0, 0]);
  assert.deepEqual(change, { x: 10, y: 0, factor: 2 });
  assert.equal(geometry.pinch([5, 5], [20, 0], [5, 5]), null);
});

test("the grid has each point once", () => {
  const xy = positions(500);
  xy.set([-1, -1, 1, 1, 7, -7]); // the borders, and a point outside
  const { starts, rows } = geometry.indexPoints(xy);
  assert.equal(starts.at(-1), 500);
  assert.deepEqual(
    [...rows].sort((a, b) => a - b),
    [...Array(500).keys()],
  );
});

test("the nearest point is that of a search of all points", () => {
  const xy = positions(800);
  const grid = geometry.indexPoints(xy);
  const shown = Uint8Array.from({ length: 800 }, (_, i) => i % 3);
  let found = 0;
  for (const view of [
    { zoom: 150, x: 200, y: 150 },
    { zoom: 2000, x: 100, y: -300 },
  ]) {
    for (let px = -20; px < 420; px += 17) {
      for (let py = -20; py < 320; py += 13) {
        for (const rows of [null, shown]) {
          const row = geometry.nearestPoint(xy, grid, view, [px, py], rows, 12);
          assert.equal(row, naiveNearest(xy, view, [px, py], rows, 12));
          found += row === null ? 0 : 1;
        }
      }
    }
  }
  assert.ok(found > 500);
});

test("a polygon contains its inside, also where it is hollow", () => {
  assert.ok(geometry.contains(SQUARE, 5, 5));
  assert.ok(!geometry.contains(SQUARE, 11, 5));
  const hollow = [...SQUARE.slice(0, 3), [5, 2], [0, 10]];
  assert.ok(geometry.contains(hollow, 5, 1));
  assert.ok(!geometry.contains(hollow, 5, 5));
});

test("a lasso finds the shown points inside it, on the screen", () => {
  const xy = Float32Array.of(0.25, 0.25, 0.5, 0.5, 0.75, 0.25, -0.5, 0.25);
  const view = { zoom: 20, x: -4, y: -4 }; // the pixels (1, 1), (6, 6), (11, 1), (-14, 1)
  assert.deepEqual(geometry.pointsInside(xy, view, SQUARE), [0, 1]);
  const wide = SQUARE.map(([x, y]) => [2 * x, 2 * y]);
  assert.deepEqual(geometry.pointsInside(xy, view, wide), [0, 1, 2]);
  assert.deepEqual(geometry.pointsInside(xy, view, wide, [1, 0, 3, 1]), [0, 2]);
});

test("a note stands beside its point and inside the map", () => {
  const note = { width: 100, height: 50 };
  const area = { width: 400, height: 300 };
  const place = (x, y) => geometry.notePlace([x, y], note, area);
  assert.deepEqual(place(100, 100), { left: 114, top: 90 });
  assert.deepEqual(place(390, 100), { left: 276, top: 90 });
  assert.deepEqual(place(100, 299), { left: 114, top: 244 });
  assert.deepEqual(place(100, 0), { left: 114, top: 4 });
  const narrow = { width: 90, height: 300 };
  assert.equal(geometry.notePlace([50, 100], note, narrow).left, 4);
});

test("points get smaller with their number", () => {
  const sizes = [10, 601, 4001, 20001, 100001].map(geometry.pointSize);
  assert.deepEqual(sizes, [8.5, 6.5, 4.5, 3, 2.2]);
});

test("the points of a frame follow the time that it took", () => {
  const next = (limit, milliseconds) => geometry.nextLimit(limit, milliseconds, 16, 1000, 9000);
  assert.equal(next(5000, 20), 4000);
  assert.equal(next(5000, 16), 5000);
  assert.equal(next(5000, 1), 6500); // it grows slowly
  assert.equal(next(5000, 1000), 2000); // and falls fast
  assert.equal(next(1100, 1000), 1000);
  assert.equal(next(8000, 0), 9000);
});

test("of names that would cover each other, the first ones are drawn", () => {
  const name = (x, y) => ({ x, y, width: 20 });
  const names = [name(0, 0), name(15, 0), name(25, 0), name(15, 12), name(30, 5)];
  assert.deepEqual(geometry.namesApart(names, 12), [true, false, true, true, false]);
});

test("a name near the edge is moved inside, one that is outside is not", () => {
  const places = [-1, 2, 50, 99, 101].map((x) => geometry.inside(x, 20, 100));
  assert.deepEqual(places, [-1, 10, 50, 90, 101]);
});
