// Doubtful pairs, answered with the keyboard, and the rows nearest to a boundary.

import * as api from "./api.js";
import { button, fill, h, number, percent, short } from "./dom.js";
import { dot } from "./panels.js";
import { guard } from "./table.js";

export function doubtPanel(page) {
  const card = h("section", { class: "card", "aria-label": "Doubtful pair" }, h("p", { class: "quiet" }, "Looking for the most doubtful pair …"));
  ask(page, card);
  const rows = page.work.step.doubtful.map((d) => h("tr", {},
    h("td", {}, button(`row ${d.row}`, () => { page.select([d.row]); }, { class: "quiet" })), h("td", {}, dot(page, d.cluster)), h("td", {}, d.rival >= 0 ? dot(page, d.rival) : "–"), h("td", { class: "n" }, percent(d.confidence))));
  return [card, h("h3", {}, "Rows nearest to a boundary"),
    rows.length ? h("div", { class: "scroll" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "row"), h("th", {}, "cluster"), h("th", {}, "or"), h("th", { class: "n" }, "confidence"))), h("tbody", {}, rows))) : h("p", { class: "quiet" }, "None.")];
}

async function ask(page, card) {
  const key = `${page.work.id} ${page.work.position} ${page.work.steps.length}`;
  page.answer = null;
  page.skipped ||= new Set();
  if (!page.pairs || page.pairs.key !== key) {
    const found = await guard(() => api.get(`/works/${page.work.id}/pairs`));
    if (!found || page.closed) return;
    page.pairs = { key, found };
  }
  const pair = page.pairs.found.find((p) => !page.skipped.has(`${p.first} ${p.second}`));
  if (!pair) { fill(card, h("h2", {}, "No doubtful pairs are left"), h("p", { class: "quiet" }, "Everything that is left is clear, or was answered or skipped.")); return; }
  const [one, two] = await Promise.all([page.row(pair.first), page.row(pair.second)]);
  if (!one || !two || page.closed) return;
  page.answered ||= 0;
  page.answer = async (sign) => {
    if (page.busy) return;
    page.answer = null;
    if (sign === "s") { page.skipped.add(`${pair.first} ${pair.second}`); page.render(); return; }
    page.answered += 1;
    await page.correct({ kind: sign === "y" ? "together" : "apart", rows: [pair.first, pair.second] });
    page.skipped.add(`${pair.first} ${pair.second}`);
  };
  const answer = (sign) => page.answer && page.answer(sign);
  page.mark([pair.first, pair.second]);
  fill(card, h("h2", {}, "Do these two belong together?"),
    h("p", { class: "small" }, `${number(pair.rows)} rows are like the first · ${number(page.answered)} answered`),
    h("div", { class: "pair" }, side(page, pair.first, one, two), side(page, pair.second, two, one)),
    h("div", { class: "answers" }, button(["Yes ", h("kbd", {}, "y")], () => answer("y"), { id: "yes" }), button(["No ", h("kbd", {}, "n")], () => answer("n"), { id: "no" }), button(["Skip ", h("kbd", {}, "s")], () => answer("s"), { id: "skip" })));
}

function side(page, row, cells, other) {
  const used = page.work.settings.features;
  const names = Object.keys(cells).filter((name) => !used || used.includes(name));
  const image = picture(names, cells);
  const head = [h("div", {}, dot(page, page.labels[row])), h("small", {}, `row ${row}`)];
  if (image) return h("div", {}, head, image);
  // The columns in which the two differ most come first.
  const scale = (name) => { const a = Number(cells[name]), b = Number(other[name]); return Number.isFinite(a) && Number.isFinite(b) ? Math.abs(a - b) / (Math.abs(a) + Math.abs(b) + 1e-9) : cells[name] === other[name] ? 0 : 1; };
  const shown = names.sort((a, b) => scale(b) - scale(a)).slice(0, 8);
  return h("div", {}, head, h("table", {}, h("tbody", {}, shown.map((name) => h("tr", {}, h("td", {}, name), h("td", { class: "n" }, short(isNumber(cells[name]) ? Number(cells[name]) : cells[name])))))));
}

const isNumber = (value) => value !== "" && value !== null && Number.isFinite(Number(value));

// Rows of pixels are shown as the image that they are.
function picture(names, cells) {
  const side = Math.sqrt(names.length);
  if (!Number.isInteger(side) || side < 4 || !names.every((name) => /^pixel/i.test(name))) return null;
  const values = names.map((name) => Number(cells[name]));
  const high = Math.max(...values, 1e-9);
  const canvas = h("canvas", { class: "thumb", width: side, height: side, role: "img", "aria-label": "The row as an image" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(side, side);
  values.forEach((v, i) => { const shade = 255 - Math.round(255 * v / high); image.data.set([shade, shade, shade, 255], 4 * i); });
  context.putImageData(image, 0, 0);
  return canvas;
}
