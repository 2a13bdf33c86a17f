import assert from "node:assert/strict";
import { test } from "node:test";

import {
  better,
  figures,
  nearestText,
  share,
  verdict,
} from "../../../src/maxmargin/app/static/reasons.js";

const facts = (links, silhouette, clusters = [3, 3]) => ({ links, silhouette, clusters });

test("both labellings have the same figures", () => {
  assert.deepEqual(figures(facts([0.025, 0.42], [0.314, null], [9, 1])), [
    ["nearest rows in another cluster", "2.5%", "42%"],
    ["mean silhouette", "0.31", "–"],
    ["clusters", "9", "1"],
  ]);
  assert.equal(share(0), "0%");
});

test("a figure decides if it differs clearly", () => {
  assert.equal(better([0.3, 0.2], 0.01), 0);
  assert.equal(better([0.2, 0.3], 0.01), 1);
  assert.equal(better([0.2, 0.205], 0.01), null);
  assert.equal(better([null, 0.2], 0.01), null);
});

test("the verdict names the labelling for which both figures speak", () => {
  const both = verdict(facts([0.02, 0.07], [0.4, 0.3]));
  assert.match(both, /Near rows are more often in one cluster here/);
  assert.match(both, /Both figures speak for the clusters here/);
  assert.match(verdict(facts([0.07, 0.02], [0.3, 0.4])), /speak for the clusters there/);
});

test("the verdict says so if the figures disagree, or say nothing", () => {
  const divided = verdict(facts([0.02, 0.07], [0.3, 0.4]));
  assert.match(divided, /in one cluster here.* the clusters there are more compact/);
  assert.match(divided, /Silhouette prefers round clusters/);
  assert.doesNotMatch(divided, /Both figures/);
  assert.match(verdict(facts([0.02, 0.021], [0.3, 0.3])), /neither labelling is better/);
});

test("other numbers of clusters are not compared in silence", () => {
  assert.match(verdict(facts([0.02, 0.07], [0.3, 0.4], [9, 90])), /numbers of clusters differ/);
  assert.doesNotMatch(verdict(facts([0.02, 0.07], [0.3, 0.4])), /numbers of clusters/);
});

test("the nearest rows of those that differ", () => {
  const text = nearestText([0.96, 0.4], ["8", "cats"]);
  assert.equal(text, "Of their nearest rows 96% are in 8 here, 40% in cats there.");
});
