// Two works of one data set side by side.

import * as api from "./api.js";
import { button, field, fill, h, number, say, select } from "./dom.js";
import { colorOf, nameOf, namePlaces, pointColors } from "./look.js";
import { MapView } from "./map.js";
import { settingsOf, setupPanel } from "./setup.js";
import { guard } from "./table.js";

export function comparePanel(page) {
  const list = h("div", {}, h("p", { class: "quiet" }, "Looking for other works …"));
  const result = h("div", {});
  if (!page.form) setupPanel(page);
  const form = { method: "k-means", clusters: String(page.work.step.clusters.length) };
  guard(async () => {
    const works = (await api.get("/works")).filter((w) => w.dataset === page.data.id && w.id !== page.work.id && w.kind === "table" && w.steps);
    fill(list, works.length ? field("Compare with", select("Work to compare with", [["", "choose …"], ...works.map((w, i) => [w.id, `${w.method}, ${w.clusters} clusters, ${w.steps === 1 ? "1 step" : `${w.steps} steps`} (${i + 1})`])], page.other ? page.other.work.id : "", (id) => id ? show(page, id, result) : close(page))) : h("p", { class: "quiet" }, "There is no other work on this data set yet."));
  });
  if (page.other) result.append(...facts(page));
  return [list,
    h("div", { class: "card" }, h("h3", {}, "Run another method or setting"),
      h("div", { class: "two" }, field("Method", select("Other method", [["k-means", "k-means"], ["mixture", "Gaussian mixture"], ["maxmargin", "maximum margin"]], form.method, (v) => { form.method = v; })),
        field("Number of clusters", h("input", { type: "text", value: form.clusters, "aria-label": "Other number of clusters", onchange: (e) => { form.clusters = e.target.value.trim(); } }))),
      button("Run and compare", () => runOther(page, form, result), { disabled: page.busy, class: "main" })),
    result];
}

async function runOther(page, form, result) {
  const settings = settingsOf({ ...page.form, ...form, balance: "free", time: "" }, page.data);
  const job = await guard(() => api.post(`/datasets/${page.data.id}/works`, settings));
  if (!job) return;
  page.busy = true;
  page.render();
  try { await api.follow(job, (state) => page.showProgress(state)); } catch (error) { say(error.message, "error"); return; } finally { page.busy = false; page.progress.hidden = true; page.render(); }
  await show(page, job.work, result);
}

function close(page) {
  if (page.other) { page.other.close(); page.render(); }
}

async function show(page, id, result) {
  await guard(async () => {
    const [work, found, buffer] = await Promise.all([api.get(`/works/${id}`), api.get(`/compare?first=${page.work.id}&second=${id}`), api.bytes(`/works/${id}/labels`)]);
    if (page.other) page.other.close();
    const n = buffer.byteLength / 5;
    const labels = new Int32Array(buffer, 0, n), confidence = new Uint8Array(buffer, 4 * n, n);
    const map = new MapView({ label: "Map of the compared clusters", onselect: (rows) => page.select(rows), onpick: (row) => row !== null && page.select([row]) });
    const legend = h("div", { class: "legend" }, `${work.settings.method}, ${work.step.clusters.length} clusters`);
    map.element.append(legend);
    page.map.element.after(map.element);
    const paint = () => {
      if (page.xy.length / 2 !== n) return;
      const shown = new Uint8Array(n).fill(1);
      for (const row of page.selection) shown[row] = 2;
      map.setLook(pointColors(labels, confidence, work.step.clusters), shown);
      map.setNames(namePlaces(page.xy, labels, work.step.clusters));
    };
    page.other = { work, found, paint, close: () => { map.close(); page.other = null; requestAnimationFrame(() => page.map.resize()); } };
    if (page.xy.length / 2 === n) { map.setPositions(page.xy); paint(); map.resize(); }
    page.tab = "compare";
    page.render();
  });
}

function facts(page) {
  const { found, work } = page.other;
  const mine = page.work.step.clusters, theirs = work.step.clusters;
  const by = (list, id) => list.find((c) => c.id === id) || { id };
  const head = (cluster) => [h("span", { class: "dot", style: { background: colorOf(cluster) } }), ` ${nameOf(cluster)}`];
  return [
    h("p", {}, h("b", {}, `Agreement ${found.adjusted_rand_index.toFixed(3)}`), h("span", { class: "quiet" }, " (adjusted Rand index)")),
    h("p", {}, `${number(found.different)} of ${number(found.rows)} rows differ. `, found.different ? button("Select them", () => page.select(found.different_rows)) : null, " ", button("Close", () => close(page))),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Common rows" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "rows"), found.second.map((c) => h("th", { class: "n" }, head(by(theirs, c)))))),
      h("tbody", {}, found.table.map((row, i) => h("tr", {}, h("th", {}, head(by(mine, found.first[i]))), row.map((v) => h("td", { class: "n" }, v || "·"))))))),
  ];
}
