import assert from "node:assert/strict";
import { test } from "node:test";

import * as format from "../../../src/maxmargin/app/static/format.js";

test("numbers are grouped, rounded and never empty", () => {
  assert.equal(format.number(1234567), "1,234,567");
  assert.equal(format.percent(0.126), "13%");
  assert.equal(format.percent(0), "0%");
  assert.equal(format.short(3), "3");
  assert.equal(format.short(0.000123456), "0.0001235");
  assert.equal(format.short(123456.7), "123500");
  assert.equal(format.short("<b>"), "<b>");
  for (const nothing of [null, undefined, ""]) assert.equal(format.short(nothing), "–");
});

test("a time is told by how long ago it was", () => {
  const now = Date.UTC(2024, 4, 20, 12);
  const before = (minutes) => format.ago(now / 1000 - 60 * minutes, now);
  assert.equal(before(0.5), "just now");
  assert.equal(before(1), "1 min ago");
  assert.equal(before(59), "59 min ago");
  assert.equal(before(60), "1 h ago");
  assert.equal(before(23 * 60), "23 h ago");
  assert.equal(before(3 * 24 * 60), "5/17/2024");
});

test("the agreement with known classes is told if there are any", () => {
  assert.equal(format.agreementText(0.8914, "class"), " · agreement with class 0.89");
  assert.equal(format.agreementText(null, ""), "");
  assert.equal(format.agreementText(undefined, null), "");
});

test("one step has no plural", () => {
  assert.equal(format.stepCount(1), "1 step");
  assert.equal(format.stepCount(2), "2 steps");
  assert.equal(format.clusterCount(1), "1 cluster");
  assert.equal(format.clusterCount(7), "7 clusters");
});

test("sizes of tables, images and columns", () => {
  const table = { kind: "table", rows: 20000, columns: [{}, {}] };
  assert.equal(format.sizeOf(table), "20,000 rows, 2 columns");
  assert.equal(format.sizeOf({ kind: "image", width: 640, height: 427 }), "640 × 427 pixels");
  const column = { kind: "text", distinct: 1200, missing: 0 };
  assert.equal(format.aboutColumn(column), "1,200 values");
  const gaps = { kind: "integer", distinct: 3, missing: 1 };
  assert.equal(format.aboutColumn(gaps), "3 values, 1 missing");
});

test("the weight of a column, with the factor of the user", () => {
  assert.equal(format.weightText(1, 1), "counts 1");
  assert.equal(format.weightText(0.5634, 2), "counts 1.1 (×2)");
  assert.equal(format.weightText(0.001, 1), "counts 0");
  assert.equal(format.weightText(null, 1), "counts ?"); // another role was chosen
});

test("progress tells what is known of a job", () => {
  const job = { state: "running", stage: "search", seconds: 1.24 };
  assert.equal(format.progressText(job), "search · 1.2 s");
  const more = { ...job, seconds_left: 3.1, objective: 0 };
  assert.equal(format.progressText(more), "search · 1.2 s · about 4 s left · objective 0");
  const unnamed = { state: "running", stage: "", seconds: 0, objective: null };
  assert.equal(format.progressText(unnamed), "working · 0.0 s");
  assert.equal(format.progressText({ ...job, state: "waiting" }), "waiting · 1.2 s");
});

test("a change of the margin has a sign, and none is not told", () => {
  assert.equal(format.marginChange(0.5, 0.512), ", mean margin +0.01");
  assert.equal(format.marginChange(0.7, 0.5), ", mean margin −0.20");
  assert.equal(format.marginChange(0.5, 0.504), "");
  assert.equal(format.marginChange(0.5, null), "");
});

test("a margin is no percentage, and one cluster has none", () => {
  assert.equal(format.marginText(0.956), "0.96");
  assert.equal(format.marginText(0.00123), "0.0012"); // of many rows all are near 0
  assert.equal(format.marginText(0), "0");
  assert.equal(format.marginText(null), "–");
});

test("constraints are counted by kind", () => {
  const none = { labels: [], together: [], apart: [], unsure: [] };
  assert.match(format.constraintText(none), /^Nothing yet/);
  const some = { ...none, labels: [[1, 0]], apart: new Array(1500) };
  assert.equal(format.constraintText(some), "1 rows with a cluster, 1,500 pairs apart");
});

test("long names break after signs and before capitals, not within words", () => {
  const parts = format.breakParts;
  assert.deepEqual(parts("monthly_spending.inEuros"), ["monthly_", "spending.", "in", "Euros"]);
  assert.deepEqual(parts("age 52 to 68, others -0.5 to 1.5"), ["age 52 to 68, others -0.5 to 1.5"]);
  assert.deepEqual(parts("Größe"), ["Größe"]);
});

test("the size of a table in the singular and the plural", () => {
  const size = (rows, n) => format.sizeOf({ kind: "table", rows, columns: Array(n).fill({}) });
  assert.equal(size(1, 1), "1 row, 1 column");
  assert.equal(size(3000, 2), "3,000 rows, 2 columns");
});

test("long names are shortened", () => {
  assert.equal(format.shortened("cats", 4), "cats");
  assert.equal(format.shortened("cats and dogs", 6), "cats…");
});
