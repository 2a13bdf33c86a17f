import assert from "node:assert/strict";
import { test } from "node:test";

import * as pairs from "../../../src/maxmargin/app/static/pairs.js";

test("the first pair that was not skipped is asked", () => {
  const found = [
    { first: 1, second: 2 },
    { first: 12, second: 3 },
  ];
  assert.equal(pairs.nextPair(found, new Set()), found[0]);
  const skipped = new Set([pairs.pairKey(found[0])]);
  assert.equal(pairs.nextPair(found, skipped), found[1]);
  skipped.add(pairs.pairKey({ first: 1, second: 23 })); // not the pair 12 and 3
  assert.equal(pairs.nextPair(found, skipped), found[1]);
  skipped.add(pairs.pairKey(found[1]));
  assert.equal(pairs.nextPair(found, skipped), undefined);
});

test("numbers in text are numbers, and gaps are not", () => {
  assert.equal(pairs.cellValue("1.50"), 1.5);
  assert.equal(pairs.cellValue("red"), "red");
  assert.equal(pairs.cellValue(""), "");
  assert.equal(pairs.cellValue(null), null);
});

test("the difference of numbers is relative, that of texts yes or no", () => {
  assert.equal(pairs.difference("5", "5"), 0);
  assert.ok(Math.abs(pairs.difference(1, 3) - 0.5) < 1e-6);
  assert.ok(Math.abs(pairs.difference(-1, 1) - 1) < 1e-6);
  assert.equal(pairs.difference(0, 0), 0);
  assert.equal(pairs.difference("red", "red"), 0);
  assert.equal(pairs.difference("red", "blue"), 1);
  assert.equal(pairs.difference("red", 1), 1);
});

test("the columns that differ most come first", () => {
  const names = ["same", "far", "near"];
  const one = { same: 1, far: 1, near: 10 };
  const two = { same: 1, far: 9, near: 11 };
  assert.deepEqual(pairs.differingColumns(names, one, two, 2), ["far", "near"]);
  assert.deepEqual(names, ["same", "far", "near"]);
});

test("rows of pixels are an image, dark where the value is high", () => {
  const names = Array.from({ length: 16 }, (_, i) => `pixel_${i}`);
  const cells = Object.fromEntries(names.map((name, i) => [name, String(i)]));
  const { side, shades } = pairs.shadesOf(names, cells);
  assert.equal(side, 4);
  assert.deepEqual([shades[0], shades[3], shades[15]], [255, 204, 0]);
});

test("other rows are no image", () => {
  const pixels = (n) => Array.from({ length: n }, (_, i) => `pixel${i}`);
  assert.equal(pairs.shadesOf(pixels(15), {}), null);
  assert.equal(pairs.shadesOf(pixels(9), {}), null);
  assert.equal(pairs.shadesOf([...pixels(15), "age"], {}), null);
});
