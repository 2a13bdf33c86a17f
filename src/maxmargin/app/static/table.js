// A table: settings, map, corrections, panels.

import * as api from "./api.js";
import { button, fill, h, number, say, select, short } from "./dom.js";
import { colorOf, nameOf, namePlaces, pointColors } from "./look.js";
import { MapView } from "./map.js";
import { clustersPanel, historyPanel, takePanel } from "./panels.js";
import { comparePanel } from "./compare.js";
import { doubtPanel } from "./queue.js";
import { setupPanel } from "./setup.js";
import { timePanel } from "./time.js";

export async function open(main, data, work, about) {
  const page = new TablePage(main, data, about);
  await page.start(work);
  return page;
}

const TABS = {
  table: [["setup", "Setup"], ["clusters", "Clusters"], ["doubt", "Doubtful"], ["history", "History"], ["compare", "Compare"], ["take", "Export"]],
  time: [["setup", "Setup"], ["time", "Time"], ["take", "Export"]],
  none: [["setup", "Setup"]],
};

class TablePage {
  constructor(main, data, about) {
    Object.assign(this, { main, data, about, work: null, tab: "setup", selection: new Set(), marked: new Set(), layout: "graph", axes: null, rows: new Map(), time: null });
    this.map = new MapView({
      label: "Map of the rows. Arrow keys move, plus and minus zoom, 0 shows all.",
      onhover: (row, show) => this.hover(row, show),
      onselect: (rows, add) => this.select(rows, add),
      onpick: (row, add) => this.pick(row, add),
    });
    this.bar = h("div", { class: "bar", role: "toolbar", "aria-label": "Map" });
    this.progress = h("div", { class: "progress", hidden: true });
    this.actions = h("div", { class: "floating", role: "group", "aria-label": "Selected rows", hidden: true });
    this.empty = h("div", { class: "floating" }, "Choose the columns and press Cluster.");
    this.stage = h("section", { class: "stage split-view", "aria-label": "Map" }, this.map.element, this.progress, this.actions, this.empty);
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
    this.panel = h("div", { class: "panel", role: "tabpanel", tabindex: "0" });
    this.side = h("aside", { class: "side", "aria-label": "Panels" }, this.tabs, this.panel);
    fill(main, h("div", { class: "work" }, this.bar, this.stage, this.side));
    this.keys = (e) => this.key(e);
    document.addEventListener("keydown", this.keys);
  }

  close() { this.closed = true; document.removeEventListener("keydown", this.keys); this.map.close(); if (this.timer) clearInterval(this.timer); }

  async start(work) {
    this.work = work;
    if (work && work.step) { await this.load(); this.tab = work.kind === "time" ? "time" : "clusters"; }
    this.render();
    if (work && work.job) await this.run(work.job);
  }

  // Read the arrays of the present step.
  async load() {
    const { work } = this;
    const buffer = await api.bytes(`/works/${work.id}/labels`);
    const n = buffer.byteLength / 5;
    this.before = this.labels && this.labels.length === n ? this.labels : null;
    this.labels = new Int32Array(buffer, 0, n);
    this.confidence = new Uint8Array(buffer, 4 * n, n);
    if (this.placed !== `${work.id} ${this.layout} ${this.axes}`) await this.place();
    if (work.kind === "time" && !this.times) {
      const times = await api.bytes(`/works/${work.id}/times`);
      this.times = new Int32Array(times, 0, n);
      this.objects = new Int32Array(times, 4 * n, n);
      this.time = 0;
    }
    this.paint();
  }

  async place() {
    const query = this.layout === "columns" ? `?layout=columns&x=${encodeURIComponent(this.axes[0])}&y=${encodeURIComponent(this.axes[1])}` : `?layout=${this.layout}`;
    const xy = new Float32Array(await api.bytes(`/works/${this.work.id}/map${query}`));
    if (this.layout === "columns") for (let i = 1; i < xy.length; i += 2) xy[i] = -xy[i];
    this.xy = xy;
    this.map.setPositions(xy);
    this.map.reset();
    this.placed = `${this.work.id} ${this.layout} ${this.axes}`;
  }

  paint() {
    if (!this.labels) return;
    const { clusters } = this.work.step;
    const shown = new Uint8Array(this.labels.length).fill(1);
    if (this.times) for (let i = 0; i < shown.length; i += 1) shown[i] = this.times[i] === this.time ? 1 : 0;
    for (const row of this.marked) if (shown[row]) shown[row] = 3;
    for (const row of this.selection) if (shown[row]) shown[row] = 2;
    const colors = pointColors(this.labels, this.times ? null : this.confidence, clusters);
    if (this.selection.size) for (let i = 0; i < shown.length; i += 1) colors[4 * i + 3] = shown[i] === 2 ? 255 : Math.min(colors[4 * i + 3], 60);
    this.map.setLook(colors, shown);
    this.map.setNames(namePlaces(this.xy, this.labels, clusters, shown));
    if (this.other) this.other.paint();
  }

  repaint() { this.paint(); this.render(); this.map.redraw(); }

  cluster(id) { return this.work.step.clusters.find((c) => c.id === id) || { id, name: "" }; }

  render() {
    if (this.closed) return;
    const { work } = this;
    const ready = Boolean(work && work.step);
    this.empty.hidden = ready || !this.progress.hidden;
    this.renderBar(ready);
    this.renderTop(ready);
    const tabs = TABS[ready ? work.kind : "none"];
    if (!tabs.some(([key]) => key === this.tab)) this.tab = tabs[0][0];
    fill(this.tabs, tabs.map(([key, text]) => button(text, () => { this.tab = key; this.render(); }, { role: "tab", id: `tab-${key}`, "aria-selected": String(key === this.tab), "aria-controls": "panel" })));
    this.panel.id = "panel";
    this.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
    const panels = { setup: setupPanel, clusters: clustersPanel, doubt: doubtPanel, history: historyPanel, compare: comparePanel, take: takePanel, time: timePanel };
    const title = tabs.find(([key]) => key === this.tab)[1];
    fill(this.panel, h("h2", { class: "unseen" }, title), panels[this.tab](this));
    this.renderSelection();
  }

  renderBar(ready) {
    if (!ready) { fill(this.bar, h("span", { class: "quiet" }, `${number(this.data.rows)} rows, ${this.data.columns.length} columns`)); return; }
    const numeric = this.data.columns.map((c) => c.name);
    const axes = this.axes || [numeric[0], numeric[1] || numeric[0]];
    const layouts = this.work.kind === "time" ? [["pca", "Principal components"], ["columns", "Two columns"]] : [["graph", "Neighbour graph"], ["pca", "Principal components"], ["columns", "Two columns"]];
    const again = async (layout, chosen) => { this.layout = layout; this.axes = layout === "columns" ? chosen : null; await guard(() => this.place()); this.paint(); this.render(); };
    const choose = (a) => select(a ? "Vertical axis" : "Horizontal axis", numeric.map((n) => [n, n]), axes[a], (v) => again("columns", a ? [axes[0], v] : [v, axes[1]]));
    const search = h("input", { type: "search", placeholder: "Search rows", "aria-label": "Search rows", size: "12", onkeydown: (e) => { if (e.key === "Enter") this.search(e.target.value); } });
    const tool = (key, text, title) => button(text, () => { this.map.tool = key; this.map.element.classList.toggle("lasso", key === "lasso"); this.renderBar(true); }, { class: this.map.tool === key ? "on" : "", "aria-pressed": String(this.map.tool === key), title });
    fill(this.bar, select("Layout of the map", layouts, this.layout, (v) => again(v, axes)), this.layout === "columns" ? [choose(0), choose(1)] : null,
      tool("pan", "Move", "Drag moves the map; with Shift it selects"), tool("lasso", "Lasso", "Drag around rows to select them"),
      button("Fit", () => this.map.reset(), { title: "Show all rows" }), h("span", { class: "grow" }), search);
  }

  renderTop(ready) {
    const top = document.getElementById("topactions");
    if (!ready || this.work.kind !== "table") { fill(top); return; }
    fill(top, button("↶ Undo", () => this.move("undo"), { disabled: this.work.position < 1 || this.busy, title: "Ctrl+Z", "aria-label": "Undo" }),
      button("↷ Redo", () => this.move("redo"), { disabled: this.work.position >= this.work.steps.length - 1 || this.busy, title: "Ctrl+Y", "aria-label": "Redo" }));
  }

  renderSelection() {
    const rows = [...this.selection];
    this.actions.hidden = !rows.length || !this.work || this.work.kind !== "table";
    if (this.actions.hidden) return;
    const { clusters } = this.work.step;
    const act = (action, text, more = {}) => button(text, () => this.correct(action), { disabled: this.busy, ...more });
    fill(this.actions, h("b", {}, rows.length === 1 ? `Row ${rows[0]}` : `${number(rows.length)} rows`),
      select("Assign the selected rows to a cluster", [["", "Assign to …"], ...clusters.map((c) => [c.id, nameOf(c)]), ["new", "a new cluster"]], "", (v) => v && this.correct({ kind: "assign", rows, cluster: v === "new" ? null : Number(v) }), { disabled: this.busy }),
      rows.length > 1 && rows.length <= 1000 ? act({ kind: "together", rows }, "Together") : null,
      rows.length === 2 ? act({ kind: "apart", rows }, "Apart") : null,
      rows.length > 3 ? act({ kind: "recluster", rows, into: 2 }, "Cluster anew", { title: "Divide the selected rows into two new clusters" }) : null,
      act({ kind: "unsure", rows }, "Unsure"),
      button("✕", () => this.select([]), { class: "quiet", "aria-label": "Clear the selection" }));
  }

  async hover(row, show) {
    if (row === null || !this.work) return;
    const cells = await this.row(row);
    if (!cells) return;
    const c = this.cluster(this.labels[row]);
    const first = Object.entries(cells).slice(0, 9);
    show(h("div", {}, h("div", {}, h("span", { class: "dot", style: { background: colorOf(c) } }), ` ${nameOf(c)} · row ${row}`, this.times ? "" : ` · confidence ${Math.round(this.confidence[row] / 2.55)} %`),
      h("table", {}, h("tbody", {}, first.map(([name, value]) => h("tr", {}, h("td", {}, name), h("td", { class: "n" }, short(value))))))));
  }

  async row(row) {
    if (!this.rows.has(row)) {
      try { this.rows.set(row, (await api.get(`/works/${this.work.id}/rows/${row}`)).cells); } catch { return null; }
    }
    return this.rows.get(row);
  }

  select(rows, add = false) {
    if (!add) this.selection.clear();
    for (const row of rows) this.selection.add(row);
    this.paint();
    this.renderSelection();
  }

  pick(row, add) {
    if (this.times) { this.object = row === null ? null : this.objects[row]; this.tab = "time"; this.render(); return; }
    if (row === null) { if (!add) this.select([]); return; }
    if (add && this.selection.has(row)) { this.selection.delete(row); this.select([], true); } else this.select([row], add);
  }

  mark(rows) { this.marked = new Set(rows); this.paint(); }

  async search(text) {
    if (!text.trim()) return;
    const rows = await guard(() => api.get(`/works/${this.work.id}/search?text=${encodeURIComponent(text.trim())}`));
    if (!rows) return;
    say(rows.length ? `${rows.length} rows found` : "No row has this text.");
    this.select(rows);
  }

  // Start a fit, and show the work when it is done.
  async fit(path, body) {
    const job = await guard(() => api.post(path, body));
    if (job) await this.run(job);
  }

  async correct(action) {
    if (this.busy) return;
    const rows = this.labels;
    await this.fit(`/works/${this.work.id}/corrections`, action);
    if (rows === this.labels) return;
    const moved = [];
    for (let i = 0; i < rows.length; i += 1) if (rows[i] !== this.labels[i]) moved.push(i);
    this.selection.clear();
    this.mark(moved);
    const change = this.work.step.confidence - this.work.steps[this.work.position - 1].confidence;
    const more = Math.abs(change) < 0.0005 ? "" : `, confidence ${change > 0 ? "+" : "−"}${Math.abs(100 * change).toFixed(1)} %`;
    say(`${this.work.step.text}: ${number(moved.length)} rows moved${more}`);
    this.render();
  }

  async run(job) {
    this.busy = true;
    this.showProgress(job);
    this.render();
    try {
      await api.follow(job, (state) => this.showProgress(state));
      const fresh = await api.get(`/works/${job.work}`);
      if (this.closed) return;
      const first = !this.work || this.work.id !== fresh.id || !this.work.step;
      this.work = fresh;
      if (first) {
        this.placed = null; this.times = null; this.labels = null; this.selection.clear(); this.marked.clear(); this.rows.clear();
        if (fresh.kind === "time") this.layout = "pca";
        this.tab = fresh.kind === "time" ? "time" : "clusters";
        history.replaceState(null, "", `#work=${fresh.id}`);
      }
      await this.load();
    } catch (error) {
      if (!(error instanceof api.ApiError)) console.error(error);
      say(error.message, error.cancelled ? "" : "error");
      if (error.cancelled && this.work && !this.work.step) { this.work = null; history.replaceState(null, "", `#dataset=${this.data.id}`); }
    } finally {
      this.busy = false;
      this.progress.hidden = true;
      this.render();
    }
  }

  showProgress(job) {
    if (!this.work && job.work) history.replaceState(null, "", `#work=${job.work}`);
    this.progress.hidden = false;
    this.empty.hidden = true;
    const words = [job.state === "waiting" ? "waiting" : job.stage || "working", `${job.seconds.toFixed(1)} s`];
    if (job.seconds_left) words.push(`about ${Math.ceil(job.seconds_left)} s left`);
    if (job.objective !== null && job.objective !== undefined) words.push(`objective ${short(job.objective)}`);
    fill(this.progress, h("div", { class: "text" }, h("span", {}, words.join(" · ")), h("progress", { max: "1", value: job.share, "aria-label": "Progress of the fit" })),
      button("Cancel", () => guard(() => api.remove(`/jobs/${job.id}`))));
  }

  async move(way) {
    if (this.busy) return;
    const work = await guard(() => api.post(`/works/${this.work.id}/${way}`));
    if (!work) return;
    this.work = work;
    this.selection.clear(); this.marked.clear();
    await guard(() => this.load());
    this.render();
  }

  key(e) {
    const typing = /INPUT|SELECT|TEXTAREA/.test(e.target.tagName) && e.target.type !== "checkbox";
    if (typing || !this.work) return;
    if ((e.ctrlKey || e.metaKey) && ["z", "y"].includes(e.key.toLowerCase())) {
      e.preventDefault();
      this.move(e.key.toLowerCase() === "y" || e.shiftKey ? "redo" : "undo");
    } else if (e.ctrlKey || e.metaKey || e.altKey) return;
    else if (e.key === "Escape") this.select([]);
    else if (this.tab === "doubt" && this.answer && ["y", "n", "s"].includes(e.key)) this.answer(e.key);
  }
}

export async function guard(work) {
  try { return await work(); } catch (error) {
    if (!(error instanceof api.ApiError)) console.error(error);
    say(error.message, "error");
    return null;
  }
}
