// Parts that several panels show.

import { cell, h, line, numberCell } from "./dom.js";
import { breakParts, marginText, short } from "./format.js";
import { colorOf, nameOf } from "./look.js";

export const colorDot = (color) => h("span", { class: "dot", style: { background: color } });

// Text that may break between its parts, and is found and copied as it is.
export const breakable = (text) => breakParts(text).map((part, i) => [i ? h("wbr") : null, part]);

// The colour and the name of a cluster.
export const dot = (cluster) => [colorDot(colorOf(cluster)), ` ${nameOf(cluster)}`];

// What a row is called: its name if the table has names, otherwise its number.
export function rowName(page, row, cells) {
  const name = cells[page.work.settings.id_column];
  return name === undefined || name === null || name === "" ? `row ${row}` : String(name);
}

// A file to take away.
export function download(address, file, text) {
  const link = h("a", { class: "button", href: address, download: file }, "↓ ", file);
  return h("p", {}, link, " ", h("small", {}, text));
}

// What is shown of a row under the pointer: its cluster, and some cells.
export function rowNote(page, row, cells) {
  const one = page.times || page.work.step.clusters.length < 2;
  const more = one ? "" : ` · margin ${marginText(page.margin[row] / 255)}`;
  const title = h(
    "div",
    {},
    dot(page.cluster(page.labels[row])),
    ` · ${rowName(page, row, cells)}`,
    more,
  );
  const lines = Object.entries(cells)
    .slice(0, 9)
    .map(([name, value]) => line(cell(breakable(name)), numberCell(short(value))));
  return h("div", {}, title, h("table", {}, h("tbody", {}, lines)));
}
