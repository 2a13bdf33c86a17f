// The panel to choose: levels with fewer and more clusters, other labellings, and why.

import * as api from "./api.js";
import { labelsOf, levelOf } from "./candidates.js";
import { choicePart } from "./choice.js";
import { button, fill, h } from "./dom.js";
import { clusterCount } from "./format.js";
import { guard } from "./guard.js";
import { nameOf } from "./look.js";
import { changes, changeText, plotScores, sliderEnd } from "./numbers.js";
import { smallMap } from "./small_map.js";

const WIDTH = 340; // of the plot of the scores
const HEIGHT = 90;

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
    const text = "Only the maximum margin method has scores, levels and alternatives.";
    fill(place, h("p", { class: "quiet" }, text));
    return;
  }
  const { element, update } = levelChoice(page);
  const showIt = (candidate) => show(page, candidate, update);
  const maps = numbers.shown.map((k) => smallMap(page, levelOf(page, k), showIt));
  fill(
    place,
    element,
    h("h3", {}, "Which looks right?"),
    h("div", { class: "levels" }, maps),
    h("h3", {}, "Other labellings"),
    choicePart(page, showIt),
    h("h3", {}, "Why this number?"),
    numbers.scores ? scores(page, showIt) : scoreButton(page),
  );
  update();
}

// The slider, and the button that takes what is tried.
function levelChoice(page) {
  const present = page.work.step.clusters.length;
  const shown = page.level ? page.level.clusters : present;
  const count = h("b", { class: "count" }, clusterCount(shown));
  const change = h("p", { class: "small", role: "status" });
  const take = button("Use this", () => page.correct(page.level.action), {
    class: "main",
    id: "use-level",
  });
  const slider = h("input", {
    type: "range",
    min: 1,
    max: sliderEnd(page.numbers, present),
    value: shown,
    "aria-label": "Number of clusters, from few to many",
    oninput: (e) => show(page, levelOf(page, Number(e.target.value)), update),
  });
  const ends = h("div", { class: "row small" }, "few", h("span", { class: "grow" }), "many");
  const top = h("div", { class: "row" }, count, h("span", { class: "grow" }), take);
  const element = h("div", { class: "card level" }, top, slider, ends, change);
  const update = () => {
    const { level } = page;
    const clusters = level ? level.clusters : present;
    slider.value = clusters;
    slider.setAttribute("aria-valuetext", clusterCount(clusters));
    count.textContent = clusterCount(clusters);
    take.disabled = page.busy || !level;
    const name = (id) => nameOf(page.cluster(id));
    change.textContent = level
      ? `Not taken yet: it ${changeText(changes(page.labels, level.labels), name)}.`
      : "Move the slider: the map shows the level at once.";
    const key = level ? level.key : `level ${present}`;
    for (const map of document.querySelectorAll(".levels button")) {
      map.setAttribute("aria-pressed", String(map.dataset.key === key));
    }
  };
  update();
  return { element, update };
}

// Show clusters on the map; of several that were asked for, the last ones count.
async function show(page, candidate, update) {
  page.wanted = candidate.key;
  const labels = await guard(() => labelsOf(page, candidate));
  if (!labels || page.closed || page.wanted !== candidate.key) return;
  page.tryLevel(candidate, labels);
  update();
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

function scores(page, showIt) {
  const { best, others, scores: found } = page.numbers;
  const next = others.slice(0, 4).map((number) => {
    if (number > page.numbers.most) return h("span", {}, number); // the tree ends before
    const more = { class: "quiet", "aria-label": `Show ${clusterCount(number)}` };
    return button(number, () => showIt(levelOf(page, number)), more);
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
