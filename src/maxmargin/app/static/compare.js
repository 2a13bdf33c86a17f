// The panel to compare: two works of one data set side by side.

import * as api from "./api.js";
import { differences } from "./differences.js";
import { button, field, fill, h, say, select } from "./dom.js";
import { clusterCount, stepCount } from "./format.js";
import { guard } from "./guard.js";
import { colorOf, dimOthers, nameOf, namePlaces, pointColors } from "./look.js";
import { MapView } from "./map.js";
import { shownRows, splitLabels } from "./rows.js";
import { firstForm, settingsOf } from "./settings.js";

const METHODS = [
  ["k-means", "k-means"],
  ["mixture", "Gaussian mixture"],
  ["maxmargin", "maximum margin"],
];

export function comparePanel(page) {
  const list = h("div", {}, h("p", { class: "quiet" }, "Looking for other works …"));
  page.form ||= firstForm(page.data, page.work.settings);
  guard(() => listWorks(page, list));
  // The clusters may have been corrected since.
  if (page.other && page.other.step !== stepOf(page) && !page.busy) show(page, page.other.work.id);
  const found = page.other ? differences(page, () => close(page)) : null;
  return [list, otherFit(page), h("div", {}, found)];
}

const stepOf = ({ work }) => `${work.id} ${work.position} ${work.steps.length}`;

async function listWorks(page, list) {
  const others = (await api.get("/works")).filter(
    (w) => w.dataset === page.data.id && w.id !== page.work.id && w.kind === "table" && w.steps,
  );
  if (!others.length) {
    fill(list, h("p", { class: "quiet" }, "There is no other work on this data set yet."));
    return;
  }
  const about = (w) => [w.method, clusterCount(w.clusters), stepCount(w.steps)].join(", ");
  const name = (w, i) => `${about(w)} (${i + 1})`;
  const options = [["", "choose …"], ...others.map((w, i) => [w.id, name(w, i)])];
  const chosen = page.other ? page.other.work.id : "";
  const choose = (id) => (id ? show(page, id) : close(page));
  fill(list, field("Compare with", select("Work to compare with", options, chosen, choose)));
}

function otherFit(page) {
  page.otherForm ||= { method: "k-means", clusters: String(page.work.step.clusters.length) };
  const form = page.otherForm;
  const setMethod = (method) => {
    form.method = method;
  };
  const clusters = h("input", {
    type: "text",
    value: form.clusters,
    "aria-label": "Other number of clusters",
    onchange: (e) => {
      form.clusters = e.target.value.trim();
    },
  });
  return h(
    "div",
    { class: "card" },
    h("h3", {}, "Run another method or setting"),
    h(
      "div",
      { class: "two" },
      field("Method", select("Other method", METHODS, form.method, setMethod)),
      field("Number of clusters", clusters),
    ),
    button("Run and compare", () => runOther(page, form), { disabled: page.busy, class: "main" }),
  );
}

async function runOther(page, form) {
  const settings = settingsOf({ ...page.form, ...form, balance: "free", time: "" }, page.data);
  const job = await guard(() => api.post(`/datasets/${page.data.id}/works`, settings));
  if (!job) return;
  page.busy = true;
  page.render();
  try {
    await api.follow(job, (state) => page.showProgress(state));
  } catch (error) {
    say(error.message, "error");
    return;
  } finally {
    page.busy = false;
    page.progress.hidden = true;
    page.render();
  }
  await show(page, job.work);
}

function close(page) {
  if (!page.other) return;
  page.other.close();
  page.render();
}

async function show(page, id) {
  await guard(async () => {
    const [work, found, buffer] = await Promise.all([
      api.get(`/works/${id}`),
      api.get(`/compare?first=${page.work.id}&second=${id}`),
      api.bytes(`/works/${id}/labels`),
    ]);
    if (page.other) page.other.close();
    page.other = secondMap(page, work, found, splitLabels(buffer));
    page.other.place();
    page.tab = "compare";
    page.render();
    await findReasons(page, page.other);
  });
}

// What speaks for each of both works; no fit can begin while it is looked for.
async function findReasons(page, other) {
  if (!other.found.different) return;
  page.lock(true);
  try {
    other.reasons = await api.get(`/compare/reasons?first=${page.work.id}&second=${other.work.id}`);
  } finally {
    page.lock(false);
  }
}

// The clusters of the other work with the names and colours of those that they match.
function matchedClusters(page, work, found) {
  const free = Math.max(...page.work.step.clusters.map((c) => c.id)) + 1;
  const partners = new Map(found.matched);
  return work.step.clusters.map((cluster) => {
    const partner = partners.get(cluster.id) ?? null;
    if (partner === null) {
      const color = colorOf({ id: free + cluster.id });
      return { ...cluster, color, name: `other ${nameOf(cluster)}` };
    }
    const mine = page.cluster(partner);
    return { ...cluster, color: colorOf(mine), name: nameOf(mine) };
  });
}

// The map of the other work, beside that of the page.
function secondMap(page, work, found, { labels, margin }) {
  const clusters = () => matchedClusters(page, work, found); // colours depend on the theme
  const map = new MapView({
    label: "Map of the compared clusters",
    onselect: (rows) => page.select(rows),
    onpick: (row) => row !== null && page.select([row]),
  });
  const legend = `${work.settings.method}, ${clusterCount(work.step.clusters.length)}`;
  map.element.append(h("div", { class: "legend" }, legend));
  page.map.element.after(map.element);
  // A work that leaves out rows with missing values has other rows than this one.
  const fits = () => page.xy.length / 2 === labels.length;
  const paint = () => {
    if (!fits()) return;
    const shown = shownRows(labels.length, { selection: page.selection });
    const colors = pointColors(labels, margin, clusters());
    if (page.selection.size) dimOthers(colors, shown);
    map.setLook(colors, shown);
    map.setNames(namePlaces(page.xy, labels, clusters()));
  };
  const place = () => {
    if (!fits()) return;
    map.setPositions(page.xy);
    paint();
    map.resize();
  };
  const end = () => {
    map.close();
    page.other = null;
    requestAnimationFrame(() => page.map.resize());
  };
  const step = stepOf(page);
  return { work, found, labels, step, clusters, fits, paint, place, close: end, reasons: null };
}
