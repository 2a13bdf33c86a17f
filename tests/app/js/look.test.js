import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import * as look from "../../../src/maxmargin/app/static/look.js";

const RED = { id: 0, name: "Red", color: "#ff0000" };
const SECOND = { id: 1, name: "" };

beforeEach(() => {
  look.setPalette({ light: ["#000001", "#000002"], dark: ["#f00001", "#f00002"] });
  look.setTheme("light");
});

test("a cluster has its own colour, or one of the palette of the theme", () => {
  assert.equal(look.colorOf(RED), "#ff0000");
  assert.equal(look.colorOf(SECOND), "#000002");
  assert.equal(look.colorOf({ id: 2 }), "#000001"); // the palette begins again
  look.setTheme("dark");
  assert.equal(look.colorOf(SECOND), "#f00002");
  assert.equal(look.colorOf(RED), "#ff0000");
});

test("a cluster without a name has its number", () => {
  assert.equal(look.nameOf(RED), "Red");
  assert.equal(look.nameOf(SECOND), "1");
});

test("colours are read as three numbers", () => {
  assert.deepEqual(look.rgb("#3f90da"), [63, 144, 218]);
});

test("points have the colour of their cluster, and margin as opacity", () => {
  const colors = look.pointColors([0, 1, 7], [0, 255, 100], [RED, SECOND]);
  assert.deepEqual([...colors], [255, 0, 0, 70, 0, 0, 2, 253, 128, 128, 128, 142]);
  const plain = look.pointColors([0], null, [RED]);
  assert.deepEqual([...plain], [255, 0, 0, 230]);
});

test("with a selection, other rows are pale, and the paler ones stay so", () => {
  const colors = Uint8Array.of(9, 9, 9, 200, 9, 9, 9, 200, 9, 9, 9, 0);
  look.dimOthers(colors, [2, 1, 0]);
  assert.deepEqual([...colors], [9, 9, 9, 255, 9, 9, 9, 60, 9, 9, 9, 0]);
});

test("a name stands at the row that is nearest to the median of its cluster", () => {
  const xy = Float32Array.of(0, 5, 1, 4, 9, 3, 2, 2, 3, 1);
  const labels = [0, 0, 0, 1, 1];
  const places = look.namePlaces(xy, labels, [RED, SECOND, { id: 2 }]);
  assert.deepEqual(places, [
    { x: 1, y: 4, text: "Red", color: "#ff0000" },
    { x: 2, y: 2, text: "1", color: "#000002" },
  ]);
  const [first, ...none] = look.namePlaces(xy, labels, [RED, SECOND], [0, 0, 1, 0, 0]);
  assert.deepEqual([first.x, first.y, none], [9, 3, []]);
});

test("a name stands on its cluster, also if that lies in two places", () => {
  const xy = Float32Array.of(0, 0, 0.1, 0.1, 0, 0.2, 9, 9, 9, 8.9, 9.1, 9);
  const [{ x, y }] = look.namePlaces(xy, [0, 0, 0, 0, 0, 0], [RED]);
  assert.ok([...xy].some((_, i) => i % 2 === 0 && xy[i] === x && xy[i + 1] === y));
});
