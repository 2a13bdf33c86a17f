// Small maps beside each other, each a button that shows its clusters on the large one.

import { button, h } from "./dom.js";
import { guard } from "./guard.js";
import { labelsOf } from "./candidates.js";
import { colorOf, rgb } from "./look.js";

const SMALL = { width: 150, height: 96 }; // in pixels of the page
const POINTS = 4000; // that a small map has at most

export function smallMap(page, candidate, show) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const canvas = h("canvas", {
    width: SMALL.width * ratio,
    height: SMALL.height * ratio,
    "aria-hidden": "true",
  });
  guard(async () => draw(page, canvas, ratio, await labelsOf(page, candidate)));
  const caption = h("span", {}, h("b", {}, candidate.title), " ", h("small", {}, candidate.about));
  return button([canvas, caption], () => show(candidate), {
    "data-key": candidate.key,
    "aria-pressed": String(page.level !== null && page.level.key === candidate.key),
  });
}

// All rows in the width and height of the small map, coloured by their clusters.
function draw(page, canvas, ratio, labels) {
  const { xy } = page;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const zoom = Math.min(SMALL.width, SMALL.height) / 2 - 3;
  const step = Math.max(1, Math.ceil(labels.length / POINTS));
  for (let i = 0; i < labels.length; i += step) {
    const [red, green, blue] = rgb(colorOf(page.cluster(labels[i])));
    context.fillStyle = `rgb(${red} ${green} ${blue} / 0.8)`;
    const x = SMALL.width / 2 + xy[2 * i] * zoom;
    const y = SMALL.height / 2 + xy[2 * i + 1] * zoom;
    context.fillRect(x - 1, y - 1, 2, 2);
  }
}
