// The panel of doubt: pairs, answered with the keyboard, and the rows nearest to a boundary.

import * as api from "./api.js";
import { button, cell, fill, h, head, line, numberCell, numberHead, table } from "./dom.js";
import { marginText, number, short } from "./format.js";
import { guard } from "./guard.js";
import { cellValue, nextPair, pairKey, shadesOf, tellingColumns } from "./pairs.js";
import { breakable, dot, rowName } from "./parts.js";

const LEAST_WEIGHT = 0.01; // of a column that counts
const SHOWN = { differing: 5, agreeing: 3 }; // columns of a pair

export function doubtPanel(page) {
  const wait = h("p", { class: "quiet" }, "Looking for the most doubtful pair …");
  const card = h("section", { class: "card", "aria-label": "Doubtful pair" }, wait);
  ask(page, card);
  return [card, h("h3", {}, "Rows nearest to a boundary"), boundaryRows(page)];
}

function boundaryRows(page) {
  const { doubtful } = page.work.step;
  if (!doubtful.length) return h("p", { class: "quiet" }, "None.");
  const lines = doubtful.map(({ row, name, cluster, rival, margin }) =>
    line(
      cell(button(name || `row ${row}`, () => page.select([row]), { class: "quiet" })),
      cell(dot(page.cluster(cluster))),
      cell(rival >= 0 ? dot(page.cluster(rival)) : "–"),
      numberCell(marginText(margin)),
    ),
  );
  const heads = [head("row"), head("cluster"), head("or"), numberHead("margin")];
  return h("div", { class: "scroll" }, table(heads, lines));
}

// Show the most doubtful pair that was not answered or skipped.
async function ask(page, card) {
  page.answer = null;
  if (!(await findPairs(page))) return;
  const pair = nextPair(page.pairs.found, page.skipped);
  if (!pair) {
    const text = "Everything that is left is clear, or was answered or skipped.";
    fill(card, h("h2", {}, "No doubtful pairs are left"), h("p", { class: "quiet" }, text));
    return;
  }
  const sides = await pairSides(page, pair.first, pair.second);
  if (!sides || page.closed || page.tab !== "doubt") return;
  page.answer = (sign) => answer(page, pair, sign);
  page.mark([pair.first, pair.second]);
  const facts = `${number(pair.rows)} rows are like the first · ${number(page.answered)} answered`;
  fill(
    card,
    h("h2", {}, "Do these two belong together?"),
    h("p", { class: "small" }, facts),
    sides,
    answerButtons(page),
  );
}

// Two rows beside each other: where they differ most, then where they agree; null if they
// cannot be read.
export async function pairSides(page, first, second) {
  const [one, two] = await Promise.all([page.row(first), page.row(second)]);
  if (!one || !two) return null;
  const hint = "First where they differ most, then where they agree.";
  const sides = [side(page, first, one, two), side(page, second, two, one)];
  return [
    page.work.step.picture ? null : h("p", { class: "small" }, hint),
    h("div", { class: "pair" }, sides),
  ];
}

// Ask the server once for each step of the work; false if there is no answer to show.
async function findPairs(page) {
  const { work } = page;
  const key = `${work.id} ${work.position} ${work.steps.length}`;
  if (page.pairs && page.pairs.key === key) return true;
  const found = await guard(() => api.get(`/works/${work.id}/pairs`));
  if (!found || page.closed) return false;
  page.pairs = { key, found };
  return true;
}

async function answer(page, pair, sign) {
  if (page.busy) return;
  page.answer = null;
  if (sign === "s") {
    page.skipped.add(pairKey(pair));
    page.render();
    return;
  }
  page.answered += 1;
  const kind = sign === "y" ? "together" : "apart";
  await page.correct({ kind, rows: [pair.first, pair.second] });
  page.skipped.add(pairKey(pair));
}

export function answerButtons(page) {
  const one = (text, sign, id) =>
    button([`${text} `, h("kbd", {}, sign)], () => page.answer && page.answer(sign), { id });
  const all = [one("Yes", "y", "yes"), one("No", "n", "no"), one("Skip", "s", "skip")];
  return h("div", { class: "answers" }, all);
}

function side(page, row, cells, other) {
  const { picture } = page.work.step;
  const title = h("div", {}, dot(page.cluster(page.labels[row])));
  const shown = picture ? thumb(picture, cells) : cellList(page, cells, other);
  return h("div", {}, title, h("small", {}, rowName(page, row, cells)), shown);
}

// The columns that tell most: those that the fit uses, and no names of rows.
function cellList(page, cells, other) {
  const { features, id_column: id, label } = page.work.settings;
  const columns = page.data.columns.filter(
    ({ name }) => (!features || features.includes(name)) && ![id, label].includes(name),
  );
  // Columns that do not count decide nothing, unless there is nothing else.
  const telling = columns.filter(({ weight }) => weight > LEAST_WEIGHT);
  const shown = telling.length ? telling : columns;
  const { differ, agree } = tellingColumns(shown, cells, other, SHOWN);
  const lines = (names) =>
    names.map((name) => [h("dt", {}, breakable(name)), h("dd", {}, short(cellValue(cells[name])))]);
  return [
    differ.length ? h("dl", { class: "differ" }, lines(differ)) : null,
    agree.length ? h("dl", { class: "agree" }, lines(agree)) : null,
  ];
}

// Rows of pixels are shown as the image that they are.
function thumb({ columns, width }, cells) {
  const height = columns.length / width;
  const about = { class: "thumb", width, height, role: "img", "aria-label": "The row as an image" };
  const canvas = h("canvas", about);
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  shadesOf(columns, cells).forEach((shade, i) => image.data.set([shade, shade, shade, 255], 4 * i));
  context.putImageData(image, 0, 0);
  return canvas;
}
