import assert from "node:assert/strict";
import { test } from "node:test";

import { CanvasPoints, insets, shuffled } from "../../../src/maxmargin/app/static/points.js";

const VIEW = { zoom: 10, x: 10, y: 5 };

// A canvas of 20 times 10 pixels, as far as CanvasPoints needs one.
function fakeCanvas() {
  const put = [];
  const context = {
    put,
    createImageData: (width, height) => ({
      width,
      height,
      data: new Uint8ClampedArray(4 * width * height),
    }),
    putImageData: (image) => put.push(image),
  };
  return { width: 20, height: 10, getContext: () => context };
}

function draw(points, { limit, ratio = 1, view = VIEW } = {}) {
  const drawer = new CanvasPoints(fakeCanvas());
  drawer.set("position", Float32Array.from(points.flatMap((p) => p.at)));
  drawer.set("color", Uint8Array.from(points.flatMap((p) => p.color)));
  drawer.set("size", Float32Array.from(points.map((p) => p.size)));
  drawer.draw(view, ratio, limit);
  const { data } = drawer.context.put[0];
  return (x, y) => [...data.slice(4 * (20 * y + x), 4 * (20 * y + x) + 4)];
}

const RED = [255, 0, 0, 200];
const BLUE = [0, 0, 255, 100];
const NOTHING = [0, 0, 0, 0];

test("the order of drawing has each row once, is random and always the same", () => {
  const order = shuffled(1000);
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    [...Array(1000).keys()],
  );
  assert.deepEqual(order, shuffled(1000));
  const first = [...order.slice(0, 200)];
  const mean = first.reduce((a, b) => a + b) / 200;
  assert.ok(Math.abs(mean - 500) < 60); // a fair part: its deviation is 20
  assert.equal(shuffled(0).length, 0);
});

test("a disc leaves out its corners, a small one is a square", () => {
  assert.deepEqual([...insets(3)], [0, 0, 0]);
  assert.deepEqual([...insets(8)], [2, 1, 0, 0, 0, 0, 1, 2]);
});

test("a point is drawn at its place in the view", () => {
  const pixel = draw([{ at: [0.5, 0], color: RED, size: 3 }]);
  assert.deepEqual(pixel(15, 5), RED);
  assert.deepEqual(pixel(14, 4), RED);
  assert.deepEqual(pixel(16, 6), RED);
  assert.deepEqual(pixel(13, 5), NOTHING);
  assert.deepEqual(pixel(17, 5), NOTHING);
});

test("the most opaque point is seen, whatever the order", () => {
  const red = { at: [0, 0], color: RED, size: 3 };
  const blue = { at: [0, 0], color: BLUE, size: 3 };
  assert.deepEqual(draw([red, blue])(10, 5), RED);
  assert.deepEqual(draw([blue, red])(10, 5), RED);
});

test("hidden points and those beyond the limit are not drawn", () => {
  assert.deepEqual(draw([{ at: [0, 0], color: RED, size: 0 }])(10, 5), NOTHING);
  assert.deepEqual(draw([{ at: [0, 0], color: RED, size: 3 }], { limit: 0 })(10, 5), NOTHING);
});

test("a point at the border does not come out on the other side", () => {
  const pixel = draw([
    { at: [1, 0], color: RED, size: 5 },
    { at: [-1, -0.5], color: BLUE, size: 5 },
  ]);
  assert.deepEqual(pixel(19, 5), RED);
  for (let y = 3; y < 9; y += 1) assert.deepEqual(pixel(0, y), NOTHING);
  assert.deepEqual(pixel(0, 0), BLUE);
  assert.deepEqual(pixel(19, 0), NOTHING);
});
