import assert from "node:assert/strict";
import { test } from "node:test";

import { firstForm, rolesOf, settingsOf } from "../../../src/maxmargin/app/static/settings.js";

const column = (name, used = true, distinct = 9) => ({ name, used, distinct, missing: 0 });
const FLOWERS = { rows: 50, columns: [column("length"), column("Species"), column("note", false)] };
const VISITS = { rows: 50, columns: [column("customer"), column("month"), column("spent")] };

test("a column of classes is recognised and not used", () => {
  const form = firstForm(FLOWERS);
  assert.equal(form.label, "Species");
  assert.deepEqual([form.time, form.id_column, form.clusters], ["", "", "auto"]);
  assert.deepEqual([...form.features], ["length"]);
});

test("with times, rows have names", () => {
  const form = firstForm(VISITS);
  assert.deepEqual(rolesOf(form), ["", "customer", "month"]);
  assert.equal(form.clusters, "2");
  assert.deepEqual([...form.features], ["spent"]);
  assert.equal(firstForm({ rows: 50, columns: [column("customer")] }).id_column, "");
});

test("dates of objects that are seen once are no snapshots", () => {
  const data = { rows: 50, columns: [column("date"), column("id", false, 50), column("size")] };
  assert.deepEqual(rolesOf(firstForm(data)), ["", "id", ""]);
  const without = { rows: 50, columns: [column("date"), column("size")] };
  assert.deepEqual(rolesOf(firstForm(without)), ["", "", ""]);
});

test("values that tell all rows apart are names, if they are not used", () => {
  const data = { rows: 50, columns: [column("size", true, 50), column("code", false, 50)] };
  assert.equal(firstForm(data).id_column, "code");
});

test("the settings of an earlier fit come back", () => {
  const form = { ...firstForm(FLOWERS), clusters: "3", balance: "limits", min_size: "5" };
  form.features.add("note");
  form.roles.note = "category";
  form.weights.length = 4;
  const settings = settingsOf(form, FLOWERS);
  const again = firstForm(FLOWERS, settings);
  assert.deepEqual([again.clusters, again.balance], ["3", "limits"]);
  assert.deepEqual([again.min_size, again.max_size], [5, ""]);
  assert.deepEqual([...again.features], ["length", "note"]);
  assert.deepEqual([again.roles, again.weights], [{ note: "category" }, { length: 4 }]);
  assert.ok(!("kind" in again));
  assert.deepEqual(settingsOf(again, FLOWERS), settings);
});

test("settings without features use the columns that can be used", () => {
  const form = firstForm(FLOWERS, { clusters: "auto", features: null, label: null });
  assert.deepEqual([...form.features], ["length", "Species"]);
  assert.equal(form.label, "");
});

test("the record of a table", () => {
  assert.deepEqual(settingsOf(firstForm(FLOWERS), FLOWERS), {
    kind: "table",
    method: "maxmargin",
    clusters: "auto",
    kernel: "auto",
    balance: "free",
    min_size: null,
    max_size: null,
    features: ["length"],
    id_column: null,
    label: "Species",
    scale: "auto",
    missing: "median",
    encoding: null,
    decimal: null,
    roles: {},
    weights: {},
    seed: 0,
  });
});

test("limits of sizes count only if they are chosen, and for one method", () => {
  const form = { ...firstForm(FLOWERS), min_size: "5", max_size: "" };
  const limits = (more) => {
    const found = settingsOf({ ...form, ...more }, FLOWERS);
    return [found.balance, found.min_size, found.max_size];
  };
  assert.deepEqual(limits({ balance: "limits" }), ["free", 5, null]);
  assert.deepEqual(limits({ balance: "equal" }), ["equal", null, null]);
  assert.deepEqual(limits({ balance: "limits", method: "k-means" }), ["free", null, null]);
  assert.deepEqual(limits({ balance: "equal", method: "k-means" }), ["free", null, null]);
});

test("the record over time leaves out the columns of times and names", () => {
  const form = firstForm(VISITS);
  form.features = new Set(["customer", "month", "spent"]);
  const found = settingsOf({ ...form, clusters: "4", seed: "7" }, VISITS);
  assert.deepEqual(found, {
    kind: "time",
    time: "month",
    clusters: 4,
    strategy: "cohort",
    features: ["spent"],
    id_column: "customer",
    label: null,
    scale: "auto",
    missing: "median",
    encoding: null,
    decimal: null,
    roles: {},
    weights: {},
    seed: 7,
  });
});
