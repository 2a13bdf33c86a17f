// The page of a table: what is shown of a work, its fits and corrections.

import * as api from "./api.js";
import { clustersPanel } from "./clusters.js";
import { comparePanel } from "./compare.js";
import { button, fill, h, say } from "./dom.js";
import { marginChange, number, progressText } from "./format.js";
import { guard, tell } from "./guard.js";
import { historyPanel } from "./history.js";
import { dimOthers, namePlaces, pointColors } from "./look.js";
import { MapView } from "./map.js";
import { rowNote } from "./parts.js";
import { numberPanel } from "./number.js";
import { showProgress } from "./progress.js";
import { doubtPanel } from "./queue.js";
import { changedRows, pickedRows, shownRows, splitLabels } from "./rows.js";
import { setupPanel } from "./setup.js";
import { followTabs, isOther, tellTabs } from "./tabs.js";
import { takePanel } from "./take.js";
import { timePanel } from "./time.js";
import { renderSelection, renderToolbar, renderUndo } from "./toolbar.js";

const PANELS = {
  setup: ["Setup", setupPanel],
  clusters: ["Clusters", clustersPanel],
  number: ["Choose", numberPanel],
  time: ["Time", timePanel],
  doubt: ["Doubtful", doubtPanel],
  history: ["History", historyPanel],
  compare: ["Compare", comparePanel],
  take: ["Export", takePanel],
};
const TABS = {
  table: ["setup", "clusters", "number", "doubt", "history", "compare", "take"],
  time: ["setup", "time", "take"],
  none: ["setup"], // before the first fit
};

export async function open(main, data, work, about) {
  const page = new TablePage(main, data, about.similarities);
  await page.start(work);
  return page;
}

// The state of the page, which all panels read and some change. An object is sealed when
// it is made, so that a field that is not declared here is an error.
class TablePage {
  // The work, as the server knows it.
  data; // the data set
  similarities; // what the page calls each similarity that it offers
  work = null; // null before the first fit
  busy = false; // a fit is running: nothing can be corrected
  closed = false; // another page is shown: answers that come now are too late

  // The rows of the present step.
  labels = null; // the cluster of each row; null before they are read
  margin = null; // of each row, 0 to 255
  times = null; // for a work over time: the snapshot of each row, otherwise null
  objects = null; // and its object
  rows = new Map(); // the cells of the rows that were looked at

  // The map.
  map;
  layout = "graph"; // how the rows are placed: "graph", "pca" or "columns"
  axes = null; // the two columns for the layout "columns"
  xy = new Float32Array(); // the positions of the rows, x and y in turn
  placed = null; // the work, layout and axes of these positions
  selection = new Set(); // rows that the next correction is about
  marked = new Set(); // rows that moved, or are asked about

  // The panels.
  tab = "setup"; // the one that is shown
  form = null; // setup.js: what is entered, null before it is shown
  chosen = new Set(); // clusters.js: clusters to merge
  numbers = null; // number.js: scores of numbers of clusters, null before they are read
  levels = new Map(); // candidates.js: the labels of candidates, by key
  level = null; // number.js: the candidate that is tried, with its labels, null for none
  wanted = ""; // number.js: the candidate that was asked for last
  said = []; // choice.js: two rows, and whether they belong together, null if skipped
  tally = null; // choice.js: with how many answers each labelling agrees
  pairs = null; // queue.js: the doubtful pairs of one step, { key, found }
  skipped = new Set(); // queue.js: pairs that are not asked again
  answered = 0; // queue.js: pairs so far
  answer = null; // queue.js: takes the key "y", "n" or "s" for the pair that is shown
  other = null; // compare.js: the work beside this one, with its map
  otherForm = null; // compare.js: method and number of another fit, null before it is shown
  time = null; // time.js: the snapshot that is shown
  timer = null; // time.js: set while the snapshots play
  object = null; // time.js: the object whose way is shown

  // Elements.
  bar = h("div", { class: "bar", role: "toolbar", "aria-label": "Map" });
  progress = h("div", { class: "progress", hidden: true });
  actions = h("div", {
    class: "floating",
    role: "group",
    "aria-label": "Selected rows",
    hidden: true,
  });
  empty = h("div", { class: "floating" }, "Choose the columns and press Cluster.");
  tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
  panel = h("div", { class: "panel", role: "tabpanel", tabindex: "0" });
  keys = (e) => this.key(e); // kept to be removed again
  unfollow = followTabs(
    () => this.work && this.work.id,
    () => this.refresh(),
  );

  constructor(main, data, similarities) {
    this.data = data;
    this.similarities = similarities;
    this.map = new MapView({
      label: "Map of the rows. Arrow keys move, plus and minus zoom, 0 shows all.",
      onhover: (row, show) => this.hover(row, show),
      onselect: (rows, add) => this.select(rows, add),
      onpick: (row, add) => this.pick(row, add),
    });
    Object.seal(this);
    const stage = h(
      "section",
      { class: "stage split-view", "aria-label": "Map" },
      ...[this.map.element, this.progress, this.actions, this.empty],
    );
    const side = h("aside", { class: "side", "aria-label": "Panels" }, this.tabs, this.panel);
    fill(main, h("div", { class: "work" }, this.bar, stage, side));
    document.addEventListener("keydown", this.keys);
  }

  close() {
    this.closed = true;
    document.removeEventListener("keydown", this.keys);
    this.unfollow();
    this.map.close();
    if (this.timer) clearInterval(this.timer);
  }

  async start(work) {
    this.work = work;
    if (work && work.step) {
      await this.load();
      this.tab = work.kind === "time" ? "time" : "clusters";
    }
    this.render();
    if (work && work.job) await this.run(work.job);
  }

  // Read the arrays of the present step.
  async load() {
    const { work } = this;
    const { labels, margin } = splitLabels(await api.bytes(`/works/${work.id}/labels`));
    this.labels = labels;
    this.margin = margin;
    this.level = null;
    if (this.placed !== this.placing()) await this.place();
    if (work.kind === "time" && !this.times) {
      const times = await api.bytes(`/works/${work.id}/times`);
      this.times = new Int32Array(times, 0, labels.length);
      this.objects = new Int32Array(times, 4 * labels.length, labels.length);
      this.time = 0;
    }
    this.paint();
  }

  placing() {
    return `${this.work.id} ${this.layout} ${this.axes}`;
  }

  async place() {
    const query = new URLSearchParams({ layout: this.layout });
    const columns = this.layout === "columns";
    if (columns) {
      query.set("x", this.axes[0]);
      query.set("y", this.axes[1]);
    }
    const xy = new Float32Array(await api.bytes(`/works/${this.work.id}/map?${query}`));
    // Values grow upwards, pixels downwards.
    if (columns) for (let i = 1; i < xy.length; i += 2) xy[i] = -xy[i];
    this.xy = xy;
    this.map.setPositions(xy);
    this.map.reset();
    this.placed = this.placing();
  }

  paint() {
    if (!this.labels) return;
    const labels = this.level ? this.level.labels : this.labels;
    const clusters = this.level
      ? [...new Set(labels)].map((id) => this.cluster(id))
      : this.work.step.clusters;
    const shown = shownRows(labels.length, this);
    const colors = pointColors(labels, this.times || this.level ? null : this.margin, clusters);
    if (this.selection.size) dimOthers(colors, shown);
    this.map.setLook(colors, shown);
    this.map.setNames(namePlaces(this.xy, labels, clusters, shown));
    if (this.other) this.other.paint();
  }

  // Show a candidate on the map, or the present clusters if it has none.
  tryLevel(candidate, labels) {
    const same = labels && changedRows(this.labels, labels).length === 0;
    this.level = labels && !same ? { ...candidate, labels } : null;
    this.paint();
  }

  repaint() {
    this.paint();
    this.render();
    this.map.redraw();
  }

  cluster(id) {
    return this.work.step.clusters.find((c) => c.id === id) || { id, name: "" };
  }

  render() {
    if (this.closed) return;
    const ready = Boolean(this.work && this.work.step);
    this.empty.hidden = ready || !this.progress.hidden;
    renderToolbar(this);
    renderUndo(this);
    this.renderPanel(TABS[ready ? this.work.kind : "none"]);
    renderSelection(this);
  }

  renderPanel(tabs) {
    if (!tabs.includes(this.tab)) [this.tab] = tabs;
    fill(
      this.tabs,
      tabs.map((key) => this.tabButton(key)),
    );
    const [title, content] = PANELS[this.tab];
    this.panel.id = "panel";
    this.panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
    fill(this.panel, h("h2", { class: "unseen" }, title), content(this));
  }

  tabButton(key) {
    const choose = () => {
      this.tab = key;
      this.answer = null;
      if (this.level) this.tryLevel(null, null);
      this.render();
    };
    return button(PANELS[key][0], choose, {
      role: "tab",
      id: `tab-${key}`,
      "aria-selected": String(key === this.tab),
      "aria-controls": "panel",
    });
  }

  async hover(row, show) {
    if (row === null || !this.work) return;
    const cells = await this.row(row);
    if (cells) show(rowNote(this, row, cells));
  }

  // The cells of a row, or null.
  async row(row) {
    if (!this.rows.has(row)) {
      try {
        this.rows.set(row, (await api.get(`/works/${this.work.id}/rows/${row}`)).cells);
      } catch {
        return null;
      }
    }
    return this.rows.get(row);
  }

  select(rows, add = false) {
    if (!add) this.selection.clear();
    for (const row of rows) this.selection.add(row);
    this.paint();
    renderSelection(this);
  }

  pick(row, add) {
    if (this.times) {
      this.object = row === null ? null : this.objects[row];
      this.tab = "time";
      this.render();
    } else this.select(pickedRows(this.selection, row, add));
  }

  mark(rows) {
    this.marked = new Set(rows);
    this.paint();
  }

  // Start a fit, and show the work when it is done.
  async fit(path, body) {
    if (this.busy) return;
    this.lock(true);
    const job = await guard(() => api.post(path, body));
    if (job) await this.run(job);
    else this.lock(false);
  }

  // Nothing can be asked for from the click on, not only from the answer to it on.
  lock(busy) {
    this.busy = busy;
    this.render();
  }

  async correct(action) {
    if (this.busy) return;
    const before = this.labels;
    await this.fit(`/works/${this.work.id}/corrections`, action);
    if (before === this.labels) return; // it failed, which was told
    const moved = changedRows(before, this.labels);
    this.selection.clear();
    this.mark(moved);
    const { step, steps, position } = this.work;
    const change = marginChange(steps[position - 1].margin, step.margin);
    say(`${step.text}: ${number(moved.length)} rows moved${change}`);
    this.render();
  }

  async run(job) {
    this.showProgress(job);
    this.lock(true);
    try {
      await api.follow(job, (state) => this.showProgress(state));
      const fresh = await api.get(`/works/${job.work}`);
      if (this.closed) return;
      const first = !this.work || this.work.id !== fresh.id || !this.work.step;
      this.work = fresh;
      if (first) this.forgetRows();
      await this.load();
      tellTabs(fresh.id);
    } catch (error) {
      tell(error);
      if (error.cancelled && this.work && !this.work.step) {
        this.work = null;
        history.replaceState(null, "", `#dataset=${this.data.id}`);
      }
    } finally {
      this.progress.hidden = true;
      this.lock(false);
    }
  }

  // A new work has come: nothing that is known of rows holds for it.
  forgetRows() {
    const overTime = this.work.kind === "time";
    this.placed = null;
    this.times = null;
    this.labels = null;
    this.selection.clear();
    this.marked.clear();
    this.rows.clear();
    this.levels.clear();
    this.numbers = null;
    this.otherForm = null;
    this.said = [];
    this.tally = null;
    if (overTime) this.layout = "pca";
    this.tab = overTime ? "time" : "clusters";
    history.replaceState(null, "", `#work=${this.work.id}`);
  }

  showProgress(job) {
    if (!this.work && job.work) history.replaceState(null, "", `#work=${job.work}`);
    this.empty.hidden = true;
    showProgress(this.progress, job, progressText(job), "Progress of the fit");
  }

  // Another tab may have changed the work.
  async refresh() {
    if (this.busy || this.closed || !this.work || !this.work.step) return;
    const work = await guard(() => api.get(`/works/${this.work.id}`));
    if (!work || this.busy || this.closed || !isOther(this.work, work)) return;
    await this.present(work);
    if (work.job) await this.run(work.job);
  }

  // Show a step that came without a fit of this page.
  async present(work) {
    this.work = work;
    this.selection.clear();
    this.marked.clear();
    await guard(() => this.load());
    this.render();
  }

  // Undo or redo.
  async move(way) {
    if (this.busy) return;
    this.lock(true);
    const work = await guard(() => api.post(`/works/${this.work.id}/${way}`));
    if (work) await this.present(work);
    this.lock(false);
    if (work) tellTabs(work.id);
  }

  key(e) {
    const { tagName, type } = e.target;
    const typing = /INPUT|SELECT|TEXTAREA/.test(tagName) && !["checkbox", "range"].includes(type);
    if (!this.work || typing) return;
    const key = e.key.toLowerCase();
    if ((e.ctrlKey || e.metaKey) && ["z", "y"].includes(key)) {
      e.preventDefault();
      this.move(key === "y" || e.shiftKey ? "redo" : "undo");
    } else if (e.ctrlKey || e.metaKey || e.altKey) return;
    else if (e.key === "Escape" && this.level) {
      this.tryLevel(null, null);
      this.render();
    } else if (e.key === "Escape") this.select([]);
    else if (this.answer && ["y", "n", "s"].includes(e.key)) {
      this.answer(e.key);
    }
  }
}
