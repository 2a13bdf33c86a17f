// The panel of the number of clusters: why this one, and levels with fewer and more.

import * as api from "./api.js";
import { button, fill, h } from "./dom.js";
import { clusterCount } from "./format.js";
import { guard } from "./guard.js";
import { colorOf, nameOf, rgb } from "./look.js";
import { changes, changeText, plotScores, sliderEnd } from "./numbers.js";

const WIDTH = 340; // of the plot of the scores
const HEIGHT = 90;
const SMALL = { width: 150, height: 96 }; // a small map, in pixels of the page
const POINTS = 4000; // that a small map has at most

export function numberPanel(page) {
  const place = h("div", {}, h("p", { class: "quiet" }, "Looking for other numbers …"));
  guard(() => fillPanel(page, place));
  return place;
}

async function fillPanel(page, place) {
  const { work } = page;
  page.numbers ||= await api.get(`/works/${work.id}/numbers`);
  if (page.closed || page.work.id !== work.id) return;
  const { numbers } = page;
  if (!numbers.most) {
    const text = "Only the maximum margin method has scores of numbers, and levels.";
    fill(place, h("p", { class: "quiet" }, text));
    return;
  }
  const { element, update } = levelChoice(page);
  fill(
    place,
    element,
    h("h3", {}, "Which looks right?"),
    h(
      "div",
      { class: "levels" },
      numbers.shown.map((number) => smallMap(page, number, update)),
    ),
    h("h3", {}, "Why this number?"),
    numbers.scores ? scores(page, update) : scoreButton(page),
  );
}

// The slider, and the button that takes the level which is tried.
function levelChoice(page) {
  const present = page.work.step.clusters.length;
  const shown = page.level ? page.level.number : present;
  const count = h("b", { class: "count" }, clusterCount(shown));
  const change = h("p", { class: "small", role: "status" });
  const take = button(
    "Use this level",
    () => page.correct({ kind: "level", clusters: page.level.number }),
    { class: "main", id: "use-level" },
  );
  const slider = h("input", {
    type: "range",
    min: 1,
    max: sliderEnd(page.numbers, present),
    value: shown,
    "aria-label": "Number of clusters, from few to many",
    oninput: (e) => show(page, Number(e.target.value), update),
  });
  const ends = h("div", { class: "row small" }, "few", h("span", { class: "grow" }), "many");
  const top = h("div", { class: "row" }, count, h("span", { class: "grow" }), take);
  const element = h("div", { class: "card level" }, top, slider, ends, change);
  const update = () => {
    const { level } = page;
    const number = level ? level.number : present;
    slider.value = number;
    slider.setAttribute("aria-valuetext", clusterCount(number));
    count.textContent = clusterCount(number);
    take.disabled = page.busy || !level;
    const name = (id) => nameOf(page.cluster(id));
    change.textContent = level
      ? `Not taken yet: it ${changeText(changes(page.labels, level.labels), name)}.`
      : "Move the slider: the map shows the level at once.";
    for (const map of document.querySelectorAll(".levels button")) {
      map.setAttribute("aria-pressed", String(Number(map.dataset.number) === number));
    }
  };
  update();
  return { element, update };
}

// Show a level on the map; of several that were asked for, the last one counts.
async function show(page, number, update) {
  page.wanted = number;
  const labels = await guard(() => levelLabels(page, number));
  if (!labels || page.closed || page.wanted !== number) return;
  page.tryLevel(number, labels);
  update();
}

async function levelLabels(page, number) {
  if (!page.levels.has(number)) {
    const buffer = await api.bytes(`/works/${page.work.id}/levels/${number}`);
    page.levels.set(number, new Int32Array(buffer));
  }
  return page.levels.get(number);
}

function smallMap(page, number, update) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const canvas = h("canvas", {
    width: SMALL.width * ratio,
    height: SMALL.height * ratio,
    "aria-hidden": "true",
  });
  guard(async () => draw(page, canvas, ratio, await levelLabels(page, number)));
  const score = (page.numbers.scores || []).find(([k]) => k === number);
  const known = score ? h("small", {}, ` score ${score[1].toFixed(2)}`) : null;
  const caption = h("span", {}, h("b", {}, clusterCount(number)), known);
  const pressed = page.level ? page.level.number : page.work.step.clusters.length;
  return button([canvas, caption], () => show(page, number, update), {
    "data-number": number,
    "aria-pressed": String(number === pressed),
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

function scoreButton(page) {
  const start = async () => {
    await page.fit(`/works/${page.work.id}/scores`);
    page.numbers = null; // read anew, with the scores
    page.render();
  };
  return [
    h("p", { class: "quiet" }, "The number was given. Others can be scored."),
    button("Score the numbers", start, { disabled: page.busy }),
  ];
}

function scores(page, update) {
  const { best, others, scores: found } = page.numbers;
  const next = others.slice(0, 4).map((number) => {
    if (number > page.numbers.most) return h("span", {}, number); // the tree ends before
    const more = { class: "quiet", "aria-label": `Show ${clusterCount(number)}` };
    return button(number, () => show(page, number, update), more);
  });
  const text =
    "The score is how much better the clusters are separated than as many of rows without " +
    "clusters. One cluster has 0; the highest score is chosen.";
  return [
    scorePlot(found, best),
    h("p", { class: "row tight" }, `Best: ${best}. Next best: `, next.length ? next : "none"),
    h("p", { class: "small" }, text),
  ];
}

function scorePlot(found, best) {
  const { points, zero } = plotScores(found, WIDTH - 30, HEIGHT);
  const way = points.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`);
  const top = points.find(({ number }) => number === best);
  const name = `Scores of 1 to ${found.at(-1)[0]} clusters, the best is ${best}`;
  const box = `-15 -16 ${WIDTH} ${HEIGHT + 34}`;
  const text = (x, y, content, more = {}) =>
    h("text", { svg: true, x, y, "text-anchor": "middle", ...more }, content);
  const ticks = points.filter(({ number }) => isTick(number));
  return h(
    "svg",
    { svg: true, viewBox: box, class: "scores", role: "img", "aria-label": name },
    h("line", { svg: true, x1: 0, x2: WIDTH - 30, y1: zero, y2: zero, class: "zero" }),
    h("path", { svg: true, d: way.join("") }),
    points.map(({ number, score, x, y }) =>
      h(
        "circle",
        { svg: true, cx: x, cy: y, r: number === best ? 5 : 2.5 },
        h("title", { svg: true }, `${clusterCount(number)}: ${score.toFixed(3)}`),
      ),
    ),
    text(top.x, top.y - 7, best, { class: "best" }),
    ticks.map(({ number, x }) => text(x, HEIGHT + 14, number)),
  );
}

// Numbers below the plot: few enough to be read.
const isTick = (number) => [1, 2, 3, 5, 10, 20, 50, 100, 200].includes(number);
