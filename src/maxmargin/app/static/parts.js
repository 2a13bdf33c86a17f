// Parts that several panels show.

import { cell, h, line, numberCell } from "./dom.js";
import { marginText, short } from "./format.js";
import { colorOf, nameOf } from "./look.js";

export const colorDot = (color) => h("span", { class: "dot", style: { background: color } });

// The colour and the name of a cluster.
export const dot = (cluster) => [colorDot(colorOf(cluster)), ` ${nameOf(cluster)}`];

// A file to take away.
export function download(address, file, text) {
  const link = h("a", { class: "button", href: address, download: file }, "↓ ", file);
  return h("p", {}, link, " ", h("small", {}, text));
}

// What is shown of a row under the pointer: its cluster, and some cells.
export function rowNote(page, row, cells) {
  const one = page.times || page.work.step.clusters.length < 2;
  const more = one ? "" : ` · margin ${marginText(page.margin[row] / 255)}`;
  const title = h("div", {}, dot(page.cluster(page.labels[row])), ` · row ${row}`, more);
  const lines = Object.entries(cells)
    .slice(0, 9)
    .map(([name, value]) => line(cell(name), numberCell(short(value))));
  return h("div", {}, title, h("table", {}, h("tbody", {}, lines)));
}
