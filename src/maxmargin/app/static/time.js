// Snapshots over time: play, flows, the way of one object.

import { button, h, number, select } from "./dom.js";
import { colorOf, nameOf } from "./look.js";

const HEIGHT = 150, STEP = 46, WIDTH = 12;

export function timePanel(page) {
  const { timeline, clusters } = page.work.step;
  const { snapshots } = timeline;
  const at = snapshots[page.time];
  const go = (time) => { page.time = time; page.paint(); page.render(); };
  const play = () => {
    if (page.timer) { clearInterval(page.timer); page.timer = null; page.render(); return; }
    page.timer = setInterval(() => go((page.time + 1) % snapshots.length), 900);
    page.render();
  };
  return [
    h("div", { class: "row" }, button(page.timer ? "❚❚ Pause" : "▶ Play", play, { class: "main", id: "play" }),
      h("input", { type: "range", min: 0, max: snapshots.length - 1, value: page.time, "aria-label": "Time", "aria-valuetext": at.time, oninput: (e) => go(Number(e.target.value)) }), h("b", {}, at.time)),
    h("p", { class: "small" }, `${number(at.objects)} objects: ${number(at.stayed)} stayed, ${number(at.moved)} moved, ${number(at.came)} came, ${number(at.left)} left`),
    h("h3", {}, "Flows between clusters"), picture(page, timeline, clusters),
    h("h3", {}, "The way of one object"),
    page.object === undefined || page.object === null ? h("p", { class: "quiet" }, "Choose an object on the map, or ", select("Object", [["", "here"], ...objects(page)], "", (v) => { page.object = Number(v); page.render(); }), ".") : way(page, snapshots),
    h("p", { class: "small" }, timeline.note),
  ];
}

function objects(page) {
  return [...new Set(page.objects)].slice(0, 200).map((o) => [o, `object ${o}`]);
}

function way(page, snapshots) {
  const rows = [];
  for (let i = 0; i < page.labels.length; i += 1) if (page.objects[i] === page.object) rows.push(i);
  rows.sort((a, b) => page.times[a] - page.times[b]);
  return [h("ol", { class: "steps" }, rows.map((row) => { const c = page.cluster(page.labels[row]); return h("li", { class: page.times[row] === page.time ? "now" : "" }, h("span", { class: "dot", style: { background: colorOf(c) } }), ` ${snapshots[page.times[row]].time}: ${nameOf(c)}`); })),
    button("Choose another", () => { page.object = null; page.render(); })];
}

function picture(page, timeline, clusters) {
  const { snapshots, flows } = timeline;
  const largest = Math.max(...snapshots.map((s) => s.objects));
  const unit = (HEIGHT - 20) / largest;
  const svg = (name, attributes, ...children) => h(name, { svg: true, ...attributes }, ...children);
  const parts = [];
  flows.forEach((table, t) => {
    const left = starts(snapshots[t].sizes, unit), right = starts(snapshots[t + 1].sizes, unit);
    table.forEach((row, a) => row.forEach((count, b) => {
      if (!count) return;
      const x0 = 8 + t * STEP + WIDTH, x1 = 8 + (t + 1) * STEP, w = count * unit, y0 = left[a], y1 = right[b], m = (x0 + x1) / 2;
      left[a] += w; right[b] += w;
      parts.push(svg("path", { d: `M${x0} ${y0}C${m} ${y0} ${m} ${y1} ${x1} ${y1}v${w}C${m} ${y1 + w} ${m} ${y0 + w} ${x0} ${y0 + w}z`, fill: colorOf(clusters[a]), "fill-opacity": a === b ? 0.22 : 0.7 }, svg("title", {}, `${snapshots[t].time} to ${snapshots[t + 1].time}: ${count} from ${nameOf(clusters[a])} to ${nameOf(clusters[b])}`)));
    }));
  });
  snapshots.forEach((s, t) => {
    let y = 4;
    s.sizes.forEach((size, c) => { parts.push(svg("rect", { x: 8 + t * STEP, y, width: WIDTH, height: size * unit, fill: colorOf(clusters[c]), stroke: t === page.time ? "currentColor" : "none" })); y += size * unit; });
    parts.push(svg("text", { x: 8 + t * STEP + WIDTH / 2, y: HEIGHT - 4 }, s.time.slice(0, 7)));
  });
  const width = 16 + (snapshots.length - 1) * STEP + WIDTH;
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Flows between clusters" }, svg("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, class: "timeline", role: "img", "aria-label": `Sizes of the clusters at ${snapshots.length} times, and the objects that moved between them`, style: { "min-width": `${Math.min(width, 1200)}px` } }, parts));
}

function starts(sizes, unit) {
  let y = 4;
  return sizes.map((size) => { const start = y; y += size * unit; return start; });
}
