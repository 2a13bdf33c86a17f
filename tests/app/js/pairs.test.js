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

test("numbers differ in standard deviations, texts by all or nothing", () => {
  assert.equal(pairs.difference("5", "5", 2), 0);
  assert.equal(pairs.difference(1, "4", 2), 1.5);
  assert.ok(Math.abs(pairs.difference(-1, 1) - 1) < 1e-6); // no deviation is known
  assert.equal(pairs.difference("red", "red"), 0);
  assert.equal(pairs.difference("red", "blue"), 1.5);
  assert.equal(pairs.difference("", 0, 1), 1.5); // a gap is not 0
});

test("the columns that differ most come first, those that agree last", () => {
  const columns = [
    { name: "same", deviation: 1 },
    { name: "wide", deviation: 100 },
    { name: "narrow", deviation: 1 },
    { name: "kind", deviation: null },
  ];
  const one = { same: 1, wide: 10, narrow: 10, kind: "a" };
  const two = { same: 1, wide: 40, narrow: 14, kind: "a" };
  const count = { differing: 1, agreeing: 2 };
  const found = pairs.tellingColumns(columns, one, two, count);
  assert.deepEqual(found, { differ: ["narrow"], agree: ["kind", "same"] });
  const all = pairs.tellingColumns(columns, one, two, { differing: 5, agreeing: 5 });
  assert.deepEqual(all, { differ: ["narrow", "wide"], agree: ["kind", "same"] });
});

test("a column that hardly counts does not come first", () => {
  const columns = [
    { name: "country", deviation: null, weight: 0.02 },
    { name: "age", deviation: 10, weight: 1 },
  ];
  const found = pairs.tellingColumns(
    columns,
    { country: "FR", age: 30 },
    { country: "PL", age: 41 },
    { differing: 1, agreeing: 0 },
  );
  assert.deepEqual(found.differ, ["age"]);
});

test("a row of pixels is dark where the value is high", () => {
  const columns = Array.from({ length: 16 }, (_, i) => `pixel_${i}`);
  const cells = Object.fromEntries(columns.map((name, i) => [name, String(i)]));
  const shades = pairs.shadesOf(columns, cells);
  assert.deepEqual([shades[0], shades[3], shades[15]], [255, 204, 0]);
});
