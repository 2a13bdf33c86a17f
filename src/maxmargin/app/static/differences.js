// What differs between two works, and what speaks for each of them.

import { button, cell, h, head, line, numberCell, numberHead, scroll, table } from "./dom.js";
import { number } from "./format.js";
import { nameOf } from "./look.js";
import { breakable, dot } from "./parts.js";
import { figures, nearestText, verdict } from "./reasons.js";
import { rowsInBoth, unmatchedRows } from "./rows.js";

// The agreement, the figures, and the groups of rows that differ.
export function differences(page, close) {
  const { found, reasons } = page.other;
  const agreement = h("b", {}, `Agreement ${found.adjusted_rand_index.toFixed(3)}`);
  const differ = `${number(found.different)} of ${number(found.rows)} rows differ. `;
  const choose = button("Select them", () => page.select(different(page)));
  return [
    h("p", {}, agreement, h("span", { class: "quiet" }, " (adjusted Rand index)")),
    h("p", {}, differ, found.different ? choose : null, " ", button("Close", close)),
    reasons && found.different ? judgement(reasons) : null,
    found.different ? flowCards(page) : null,
  ];
}

// All rows that differ; some of them if the other work has other rows.
function different(page) {
  const { found, labels, fits } = page.other;
  return fits() ? unmatchedRows(page.labels, labels, found.matched) : found.different_rows;
}

function flowRows(page, { from, to, some }) {
  const { labels, fits } = page.other;
  return fits() ? rowsInBoth(page.labels, from, labels, to) : some;
}

function judgement(reasons) {
  const lines = figures(reasons).map(([what, here, there]) =>
    line(cell(what), numberCell(here), numberCell(there)),
  );
  const heads = [head("asked of both"), numberHead("here"), numberHead("there")];
  return [
    h("h3", {}, "Which is better?"),
    scroll("Which is better?", table(heads, lines)),
    h("p", { id: "verdict" }, verdict(reasons)),
  ];
}

// From which to which cluster the rows go that differ, and what they look like.
function flowCards(page) {
  const { found, reasons } = page.other;
  const theirs = new Map(page.other.clusters().map((c) => [c.id, c]));
  const why = new Map((reasons ? reasons.flows : []).map((f) => [`${f.from} ${f.to}`, f]));
  const cards = found.flows.map((flow) => {
    const clusters = [page.cluster(flow.from), theirs.get(flow.to)];
    return flowCard(page, flow, clusters, why.get(`${flow.from} ${flow.to}`));
  });
  return [
    h("h3", {}, "Where rows differ"),
    cards,
    h("p", { class: "small" }, "Clusters have the names and colours of those that they match."),
  ];
}

function flowCard(page, flow, [here, there], why) {
  const select = button("Select", () => page.select(flowRows(page, flow)), {
    class: "quiet",
    "aria-label": `Select rows from ${nameOf(here)} to ${nameOf(there)}`,
  });
  const count = h("b", {}, number(flow.rows));
  return h(
    "article",
    { class: "card flow" },
    h(
      "div",
      { class: "row tight" },
      h("span", { class: "grow" }, dot(here), " here, ", dot(there), " there: ", count),
      select,
    ),
    why ? reasonsOfFlow(why, [here, there].map(nameOf)) : null,
  );
}

function reasonsOfFlow({ nearest, columns, pictures, texts }, names) {
  return [
    h("p", { class: "small" }, nearestText(nearest, names)),
    pictures.length ? flowPictures(pictures, names) : null,
    columns.length ? flowColumns(columns, names, texts.length > 0) : null,
    texts.map((text) => h("p", { class: "small quote" }, text)),
  ];
}

// The means of both clusters, and between them that of the rows that differ.
function flowPictures([first, second, asked], names) {
  const picture = (src, text) =>
    h("figure", {}, h("img", { src, alt: `Mean of ${text}` }), h("figcaption", {}, text));
  return h(
    "div",
    { class: "pictures" },
    picture(first, names[0]),
    picture(asked, "these rows"),
    picture(second, names[1]),
  );
}

// What the rows that differ have in the columns that decide between both clusters.
function flowColumns(columns, names, words) {
  const lines = columns.map(({ name, first, second, asked }) =>
    line(cell(breakable(name)), cell(first), h("td", {}, h("b", {}, asked)), cell(second)),
  );
  const heads = [
    head(words ? "word" : "column"),
    ...[names[0], "these rows", names[1]].map((one) => head(one)),
  ];
  return scroll(`Columns that decide between ${names.join(" and ")}`, table(heads, lines));
}
