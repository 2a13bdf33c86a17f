// The panel of snapshots over time: play, flows, the way of one object.

import { button, h, scroll, select } from "./dom.js";
import { bands, barMiddle, bars, HEIGHT, pictureWidth, unitOf } from "./flows.js";
import { number } from "./format.js";
import { colorOf, nameOf } from "./look.js";
import { colorDot } from "./parts.js";
import { wayOf } from "./rows.js";

const TICK = 900; // milliseconds for a snapshot while they play

export function timePanel(page) {
  const { timeline, clusters } = page.work.step;
  const { snapshots } = timeline;
  const at = snapshots[page.time];
  const moves = `${number(at.stayed)} stayed, ${number(at.moved)} moved`;
  const ends = `${number(at.came)} came, ${number(at.left)} left`;
  return [
    player(page, snapshots),
    h("p", { class: "small" }, `${number(at.objects)} objects: ${moves}, ${ends}`),
    h("h3", {}, "Flows between clusters"),
    scroll("Flows between clusters", picture(page, timeline, clusters)),
    h("h3", {}, "The way of one object"),
    page.object === null ? chooseObject(page) : way(page, snapshots),
    h("p", { class: "small" }, timeline.note),
  ];
}

function player(page, snapshots) {
  const at = snapshots[page.time];
  const go = (time) => {
    page.time = time;
    page.paint();
    page.render();
  };
  const play = () => {
    if (page.timer) {
      clearInterval(page.timer);
      page.timer = null;
    } else page.timer = setInterval(() => go((page.time + 1) % snapshots.length), TICK);
    page.render();
  };
  return h(
    "div",
    { class: "row" },
    button(page.timer ? "❚❚ Pause" : "▶ Play", play, { class: "main", id: "play" }),
    h("input", {
      type: "range",
      min: 0,
      max: snapshots.length - 1,
      value: page.time,
      "aria-label": "Time",
      "aria-valuetext": at.time,
      oninput: (e) => go(Number(e.target.value)),
    }),
    h("b", {}, at.time),
  );
}

function showObject(page, object) {
  page.object = object;
  page.render();
}

function chooseObject(page) {
  const objects = [...new Set(page.objects)].slice(0, 200).map((o) => [o, `object ${o}`]);
  const options = [["", "here"], ...objects];
  const choice = select("Object", options, "", (value) => showObject(page, Number(value)));
  return h("p", { class: "quiet" }, "Choose an object on the map, or ", choice, ".");
}

function way(page, snapshots) {
  const places = wayOf(page.object, page.objects, page.times).map((row) => {
    const time = page.times[row];
    const cluster = page.cluster(page.labels[row]);
    const text = ` ${snapshots[time].time}: ${nameOf(cluster)}`;
    return h("li", { class: time === page.time ? "now" : "" }, colorDot(colorOf(cluster)), text);
  });
  return [
    h("ol", { class: "steps" }, places),
    button("Choose another", () => showObject(page, null)),
  ];
}

const svg = (name, attributes, ...children) => h(name, { svg: true, ...attributes }, ...children);

function picture(page, { snapshots, flows }, clusters) {
  const unit = unitOf(snapshots);
  const moved = "and the objects that moved between them";
  const label = `Sizes of the clusters at ${snapshots.length} times, ${moved}`;
  const width = pictureWidth(snapshots.length);
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      class: "timeline",
      role: "img",
      "aria-label": label,
      // Up to a dozen times are shown as a whole, more of them can be scrolled.
      style: { "min-width": `${Math.round(0.6 * width)}px` },
    },
    flows.map((flow, time) => flowBands(flow, time, snapshots, clusters, unit)),
    snapshots.map((snapshot, time) => sizeBars(page, snapshot, time, clusters, unit)),
  );
}

function flowBands(flow, time, snapshots, clusters, unit) {
  const times = `${snapshots[time].time} to ${snapshots[time + 1].time}`;
  return bands(flow, time, snapshots, unit).map(({ from, to, count, path }) => {
    const names = `from ${nameOf(clusters[from])} to ${nameOf(clusters[to])}`;
    return svg(
      "path",
      { d: path, fill: colorOf(clusters[from]), "fill-opacity": from === to ? 0.22 : 0.7 },
      svg("title", {}, `${times}: ${count} ${names}`),
    );
  });
}

function sizeBars(page, snapshot, time, clusters, unit) {
  const stroke = time === page.time ? "currentColor" : "none";
  const name = snapshot.time.slice(0, 7);
  return [
    bars(snapshot.sizes, time, unit).map((bar, c) =>
      svg("rect", { ...bar, fill: colorOf(clusters[c]), stroke }),
    ),
    svg("text", { x: barMiddle(time), y: HEIGHT - 4 }, name),
  ];
}
