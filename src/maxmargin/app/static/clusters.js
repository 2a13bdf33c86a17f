// The panel of the clusters: their names, sizes and profiles, to choose, merge and split.

import { button, cell, h, head, line, numberCell, numberHead, table } from "./dom.js";
import { MARGIN, agreementText, clusterCount, marginText, number, percent } from "./format.js";
import { colorOf, nameOf } from "./look.js";
import { breakable } from "./parts.js";
import { rowsWith } from "./rows.js";

const UNKNOWN = { size: 0, profile: [], margin: null }; // the facts of a cluster without rows

export function clustersPanel(page) {
  const { step } = page.work;
  // A cluster that was chosen may be gone since.
  const ids = new Set(step.clusters.map((c) => c.id));
  page.chosen = new Set([...page.chosen].filter((id) => ids.has(id)));
  const rows = `${number(page.labels.length)} rows · mean margin ${marginText(step.margin)}`;
  const facts = rows + agreementText(step.agreement, page.work.settings.label);
  return [
    h(
      "div",
      { class: "row" },
      h("b", {}, clusterCount(step.clusters.length)),
      h("span", { class: "quiet", title: MARGIN }, facts),
    ),
    h("p", { class: "row tight" }, mergeButton(page), stabilityButton(page)),
    step.clusters.map((cluster, at) => card(page, cluster, at)),
  ];
}

function mergeButton(page) {
  const merge = () => {
    const clusters = [...page.chosen];
    page.chosen.clear();
    page.correct({ kind: "merge", clusters });
  };
  return button("Merge chosen", merge, { disabled: page.busy || page.chosen.size < 2 });
}

function stabilityButton(page) {
  return button("Stability", () => page.fit(`/works/${page.work.id}/stability`), {
    disabled: page.busy || Boolean(page.work.step.stability),
    title: "Cluster random halves again: how often is each cluster found?",
  });
}

function card(page, cluster, at) {
  const { step } = page.work;
  const facts = step.profiles.find((p) => p.id === cluster.id) || UNKNOWN;
  const color = colorOf(cluster);
  const width = `${(100 * facts.size) / page.labels.length}%`;
  const meter = h("i", { style: { width, background: color } });
  const pictures = (facts.pictures || []).map((src, i) =>
    h("img", { src, alt: i ? "A typical row" : "The mean of the cluster" }),
  );
  return h(
    "article",
    { class: "card cluster" },
    cardHead(page, cluster, facts),
    h("div", { class: "meter", "aria-hidden": "true" }, meter),
    cardActions(page, cluster, facts, step.stability ? step.stability[at] : null),
    pictures.length ? h("div", { class: "pictures" }, pictures) : null,
    h(
      "details",
      {},
      h("summary", {}, breakable(facts.summary || "profile")),
      profile(facts.profile, color),
    ),
  );
}

function cardHead(page, cluster, facts) {
  const name = nameOf(cluster);
  const choose = (e) => {
    if (e.target.checked) page.chosen.add(cluster.id);
    else page.chosen.delete(cluster.id);
    page.render();
  };
  const rename = (change) => page.correct({ kind: "rename", cluster: cluster.id, ...change });
  return h(
    "div",
    { class: "head" },
    h("input", {
      type: "checkbox",
      "aria-label": `Choose cluster ${name}`,
      checked: page.chosen.has(cluster.id),
      onchange: choose,
    }),
    h("input", {
      type: "color",
      value: colorOf(cluster),
      "aria-label": `Colour of cluster ${name}`,
      disabled: page.busy,
      onchange: (e) => rename({ color: e.target.value }),
    }),
    h("input", {
      type: "text",
      class: "name",
      value: name,
      "aria-label": `Name of cluster ${name}`,
      disabled: page.busy,
      onchange: (e) => rename({ name: e.target.value.trim() }),
    }),
    h("span", { class: "quiet" }, number(facts.size)),
  );
}

function cardActions(page, cluster, facts, stability) {
  const name = nameOf(cluster);
  const share = percent(facts.size / page.labels.length);
  const text = `${share} of rows · mean margin ${marginText(facts.margin)}`;
  const stable = stability === null ? "" : ` · stability ${stability.toFixed(2)}`;
  return h(
    "div",
    { class: "row tight" },
    h("span", { class: "small" }, text, stable),
    h("span", { class: "grow" }),
    button("Select", () => page.select(rowsWith(page.labels, cluster.id)), {
      class: "quiet",
      "aria-label": `Select the rows of cluster ${name}`,
    }),
    button("Split", () => page.correct({ kind: "split", cluster: cluster.id }), {
      class: "quiet",
      disabled: page.busy || facts.size < 4,
      "aria-label": `Split cluster ${name}`,
    }),
  );
}

function profile(columns, color) {
  const heads = [head("column"), numberHead("inside"), numberHead("others"), head("difference")];
  const lines = columns.map((column) =>
    line(
      cell(breakable(column.name)),
      numberCell(column.inside),
      numberCell(column.outside),
      h("td", { class: "bar-cell" }, differenceBar(column.difference, color)),
    ),
  );
  return h("div", { class: "scroll" }, table(heads, lines));
}

// A bar from the middle, to the right if the cluster has more; three deviations fill it.
function differenceBar(difference, color) {
  const length = (Math.min(Math.abs(difference), 3) / 3) * 50;
  const left = `${difference > 0 ? 50 : 50 - length}%`;
  const bar = h("i", { style: { left, width: `${length}%`, background: color } });
  return h("div", { class: "difference", title: `${difference} standard deviations` }, bar);
}
