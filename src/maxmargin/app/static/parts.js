// Parts that several panels show.

import { h } from "./dom.js";
import { colorOf, nameOf } from "./look.js";

export const colorDot = (color) => h("span", { class: "dot", style: { background: color } });

// The colour and the name of a cluster.
export const dot = (cluster) => [colorDot(colorOf(cluster)), ` ${nameOf(cluster)}`];

// A file to take away.
export function download(address, file, text) {
  const link = h("a", { class: "button", href: address, download: file }, "↓ ", file);
  return h("p", {}, link, " ", h("small", {}, text));
}
