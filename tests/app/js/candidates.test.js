import assert from "node:assert/strict";
import { test } from "node:test";

import * as found from "../../../src/maxmargin/app/static/candidates.js";

const SAID = [
  [1, 2, true],
  [3, 4, false],
  [5, 6, null], // skipped
];
const page = (more = {}) => ({
  numbers: {
    scores: [[3, 1.234]],
    alternatives: [
      { text: "the clusters of the fit", clusters: 3, columns: ["age"], moved: 0 },
      { text: "k-means", clusters: 4, columns: ["age", "income"], moved: 1200 },
    ],
  },
  said: [],
  tally: null,
  ...more,
});

test("a level says its score if it has one", () => {
  assert.equal(found.levelOf(page(), 3).about, "score 1.23");
  const five = found.levelOf(page(), 5);
  assert.deepEqual([five.about, five.title], ["", "5 clusters"]);
  assert.deepEqual(five.action, { kind: "level", clusters: 5 });
});

test("a labelling says what tells it apart, and with which answers it agrees", () => {
  assert.equal(found.choiceOf(page(), 0).about, "by age");
  const asked = found.choiceOf(page({ said: SAID, tally: [0, 2] }), 1);
  const words = "by age and income · 1,200 rows differ · agrees with 2 of 2 answers";
  assert.equal(asked.about, words);
  const action = { kind: "choose", number: 1, together: [[1, 2]], apart: [[3, 4]] };
  assert.deepEqual(asked.action, action);
});

test("the best labelling is the only one with most answers", () => {
  assert.equal(found.bestChoice([1, 2, 0], SAID), 1);
  assert.equal(found.bestChoice([2, 2, 0], SAID), null);
  assert.equal(found.bestChoice([0, 0], [[5, 6, null]]), null);
  assert.equal(found.bestChoice(null, []), null);
});
