import assert from "node:assert/strict";
import { test } from "node:test";

import * as rows from "../../../src/maxmargin/app/static/rows.js";

test("rows of a cluster, and rows that moved", () => {
  const labels = Int32Array.of(2, 0, 2, 1);
  assert.deepEqual(rows.rowsWith(labels, 2), [0, 2]);
  assert.deepEqual(rows.rowsWith(labels, 5), []);
  assert.deepEqual(rows.changedRows(labels, Int32Array.of(2, 1, 2, 0)), [1, 3]);
});

test("labels and margin are split at four fifths", () => {
  const buffer = new ArrayBuffer(10);
  new Int32Array(buffer, 0, 2).set([7, -1]);
  new Uint8Array(buffer, 8, 2).set([255, 3]);
  const { labels, margin } = rows.splitLabels(buffer);
  assert.deepEqual([...labels], [7, -1]);
  assert.deepEqual([...margin], [255, 3]);
});

test("a selected row is seen as such even if it is marked", () => {
  const shown = rows.shownRows(4, { selection: new Set([1, 2]), marked: new Set([2, 3]) });
  assert.deepEqual([...shown], [1, 2, 2, 3]);
});

test("rows of other times are hidden, also if they are selected", () => {
  const options = { selection: [0, 1], marked: [2, 3], times: [0, 1, 0, 1], time: 1 };
  assert.deepEqual([...rows.shownRows(4, options)], [0, 2, 0, 3]);
});

test("a row of another work that is larger is not shown", () => {
  assert.deepEqual([...rows.shownRows(2, { selection: [5] })], [1, 1]);
});

test("a click selects one row, and with a key adds or removes it", () => {
  const selection = new Set([4, 2]);
  assert.deepEqual(rows.pickedRows(selection, 7, false), [7]);
  assert.deepEqual(rows.pickedRows(selection, 7, true), [4, 2, 7]);
  assert.deepEqual(rows.pickedRows(selection, 4, true), [2]);
  assert.deepEqual(rows.pickedRows(selection, 4, false), [4]);
  assert.deepEqual([...selection], [4, 2]);
});

test("a click beside all rows clears the selection, unless rows are added", () => {
  assert.deepEqual(rows.pickedRows(new Set([4]), null, false), []);
  assert.deepEqual(rows.pickedRows(new Set([4]), null, true), [4]);
});

test("the way of an object is in the order of time", () => {
  assert.deepEqual(rows.wayOf(3, [3, 1, 3, 3], [2, 0, 0, 1]), [2, 3, 0]);
});

test("rows in two clusters, and rows whose clusters do not match", () => {
  const [first, second] = [Int32Array.of(0, 0, 1, 1, 2), Int32Array.of(5, 6, 6, 6, 7)];
  assert.deepEqual(rows.rowsInBoth(first, 1, second, 6), [2, 3]);
  const matched = [[5, 0], [6, 1], [7, null]]; // prettier-ignore
  assert.deepEqual(rows.unmatchedRows(first, second, matched), [1, 4]);
});
