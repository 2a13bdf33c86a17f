// The map of the clusters in a notebook: the map of the page, with its actions.

import { button, fill, h, select } from "../app/static/dom.js";
import { clusterCount, number } from "../app/static/format.js";
import {
  colorOf,
  dimOthers,
  namePlaces,
  nameOf,
  pointColors,
  setPalette,
  setTheme,
} from "../app/static/look.js";
import { MapView } from "../app/static/map.js";
import { pickedRows, rowsWith, shownRows } from "../app/static/rows.js";

const MOST_TOGETHER = 1000; // rows that can be put together by one answer
const TOOLS = [
  ["pan", "Move", "Drag moves the map; with Shift it selects"],
  ["lasso", "Lasso", "Drag around rows to select them"],
  ["rectangle", "Rectangle", "Drag from corner to corner to select rows"],
];

// A map whose lasso may be a rectangle, from the first pixel to the last.
class SelectionMap extends MapView {
  drag(pointers, e) {
    const way = super.drag(pointers, e);
    if (this.lasso && this.element.dataset.tool === "rectangle") {
      const [[x, y]] = this.lasso;
      this.lasso = [
        [x, y],
        [e.offsetX, y],
        [e.offsetX, e.offsetY],
        [x, e.offsetY],
      ];
    }
    return way;
  }
}

// Whether the colours behind an element are dark, whatever the front end calls its theme.
function isDark(element) {
  for (let one = element.parentElement; one; one = one.parentElement) {
    const color = getComputedStyle(one).backgroundColor; // "" before it is in the document
    const [r, g, b, a = 1] = (color.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
    if (a > 0) return 0.3 * r + 0.6 * g + 0.1 * b < 128;
  }
  return false;
}

const view = (bytes, Kind) =>
  new Kind(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));

class Explorer {
  model;
  map;
  busy = false; // an answer of the kernel is awaited
  message = ""; // the last error
  chosen = new Set(); // clusters to merge
  labels = new Int32Array();
  margin = new Uint8Array();
  bar = h("div", { class: "bar", role: "toolbar", "aria-label": "Map" });
  actions = h("div", { class: "floating", role: "group", "aria-label": "Selected rows" });
  side = h("div", { class: "side", role: "group", "aria-label": "Clusters" });
  element;

  constructor(model) {
    this.model = model;
    this.map = new SelectionMap({
      label: "Map of the rows. Arrow keys move, plus and minus zoom, 0 shows all.",
      onhover: (row, show) => row !== null && show(h("span", {}, this.about(row))),
      onselect: (rows, add) => this.select(add ? [...new Set([...this.selection, ...rows])] : rows),
      onpick: (row, add) => this.select(pickedRows(this.selection, row, add)),
    });
    this.setTool("lasso");
    const stage = h("div", { class: "stage" }, this.map.element, this.actions);
    this.element = h("div", { class: "maxmargin-map" }, this.bar, stage, this.side);
  }

  get selection() {
    return new Set(this.model.get("selection"));
  }

  get clusters() {
    return this.model.get("_clusters");
  }

  about(row) {
    const cluster = this.clusters.find((c) => c.id === this.labels[row]);
    return `row ${row} · cluster ${nameOf(cluster)}`;
  }

  select(rows) {
    this.model.set("selection", [...rows]);
    this.model.save_changes();
  }

  setTool(tool) {
    this.map.element.dataset.tool = tool;
    this.map.tool = tool === "pan" ? "pan" : "lasso";
    this.map.element.classList.toggle("lasso", tool !== "pan");
  }

  // Ask the kernel for something; it answers when the clusters are sent.
  send(action) {
    this.busy = true;
    this.message = "";
    this.render();
    this.model.send(action);
  }

  receive({ done, error }) {
    if (!done) return;
    this.busy = false;
    this.message = error;
    this.chosen.clear();
    this.select(error ? this.selection : []);
    this.render();
  }

  place() {
    this.map.setPositions(view(this.model.get("_xy"), Float32Array));
    this.map.reset();
  }

  load() {
    this.labels = view(this.model.get("_labels"), Int32Array);
    this.margin = view(this.model.get("_margin"), Uint8Array);
    this.render();
  }

  render() {
    this.paint();
    this.renderBar();
    this.renderActions();
    this.renderSide();
  }

  paint() {
    const { labels, clusters, selection } = this;
    const dark = isDark(this.element);
    this.element.classList.toggle("dark", dark);
    setPalette(this.model.get("_colors"));
    setTheme(dark ? "dark" : "light");
    const shown = shownRows(labels.length, { selection });
    const colors = pointColors(labels, this.margin, clusters);
    if (selection.size) dimOthers(colors, shown);
    this.map.setLook(colors, shown);
    this.map.setNames(namePlaces(this.map.xy, labels, clusters, shown));
  }

  renderBar() {
    const tool = ([key, text, title]) => {
      const on = this.map.element.dataset.tool === key;
      const choose = () => {
        this.setTool(key);
        this.renderBar();
      };
      return button(text, choose, { class: on ? "on" : "", "aria-pressed": String(on), title });
    };
    const [steps, position] = [this.model.get("steps"), this.model.get("_position")];
    const move = (kind, text, possible) =>
      button(text, () => this.send({ kind }), { disabled: this.busy || !possible });
    const said = this.busy ? "working …" : this.message || steps[position];
    fill(
      this.bar,
      TOOLS.map(tool),
      button("Fit", () => this.map.reset(), { title: "Show all rows" }),
      move("undo", "Undo", position > 0),
      move("redo", "Redo", position < steps.length - 1),
      h("span", { class: this.message ? "said bad" : "said", role: "status" }, said),
    );
  }

  renderActions() {
    const rows = [...this.selection];
    this.actions.hidden = !rows.length;
    const act = (text, kind) =>
      button(text, () => this.send({ kind, rows }), { disabled: this.busy });
    fill(
      this.actions,
      h("b", {}, rows.length === 1 ? `Row ${rows[0]}` : `${number(rows.length)} rows`),
      this.assignChoice(rows),
      rows.length > 1 && rows.length <= MOST_TOGETHER ? act("Together", "together") : null,
      rows.length === 2 ? act("Apart", "apart") : null,
      rows.length > 3 ? act("Cluster anew", "recluster") : null,
      button("✕", () => this.select([]), { "aria-label": "Clear the selection" }),
    );
  }

  assignChoice(rows) {
    const clusters = this.clusters.map((c) => [c.id, nameOf(c)]);
    const options = [["", "Assign to …"], ...clusters, ["new", "a new cluster"]];
    const assign = (value) =>
      value && this.send({ kind: "assign", rows, cluster: value === "new" ? null : Number(value) });
    const label = "Assign the selected rows to a cluster";
    return select(label, options, "", assign, { disabled: this.busy });
  }

  renderSide() {
    const merge = () => this.send({ kind: "merge", clusters: [...this.chosen] });
    fill(
      this.side,
      h("b", {}, clusterCount(this.clusters.length)),
      button("Merge chosen", merge, { disabled: this.busy || this.chosen.size < 2 }),
      this.clusters.map((cluster) => this.line(cluster)),
    );
  }

  line(cluster) {
    const name = nameOf(cluster);
    const choose = (e) => {
      if (e.target.checked) this.chosen.add(cluster.id);
      else this.chosen.delete(cluster.id);
      this.renderSide();
    };
    const rename = (e) =>
      this.send({ kind: "rename", cluster: cluster.id, name: e.target.value.trim() });
    return h(
      "div",
      { class: "cluster" },
      h("input", {
        type: "checkbox",
        "aria-label": `Choose cluster ${name}`,
        checked: this.chosen.has(cluster.id),
        onchange: choose,
      }),
      h("i", { style: { background: colorOf(cluster) } }),
      h("input", {
        type: "text",
        "aria-label": `Name of cluster ${name}`,
        value: name,
        disabled: this.busy,
        onchange: rename,
      }),
      button(number(cluster.size), () => this.select(rowsWith(this.labels, cluster.id)), {
        "aria-label": `Select the rows of cluster ${name}`,
      }),
      button("Split", () => this.send({ kind: "split", cluster: cluster.id }), {
        disabled: this.busy || cluster.size < 4,
        "aria-label": `Split cluster ${name}`,
      }),
    );
  }
}

export function render({ model, el }) {
  const explorer = new Explorer(model);
  el.append(explorer.element);
  const load = () => explorer.load();
  const show = () => explorer.render();
  const receive = (content) => explorer.receive(content);
  const key = (e) => {
    // The notebook has keys of its own.
    e.stopPropagation();
    if (e.key === "Escape") explorer.select([]);
    else if ((e.ctrlKey || e.metaKey) && e.key === "z") explorer.send({ kind: "undo" });
    else if ((e.ctrlKey || e.metaKey) && e.key === "y") explorer.send({ kind: "redo" });
  };
  explorer.element.addEventListener("keydown", key);
  model.on("change:_labels", load);
  model.on("change:_clusters change:_position change:steps change:selection", show);
  model.on("msg:custom", receive);
  explorer.place();
  explorer.load();
  requestAnimationFrame(show); // in the document by now: its theme is known
  return () => {
    model.off("change:_labels", load);
    model.off("change:_clusters change:_position change:steps change:selection", show);
    model.off("msg:custom", receive);
    explorer.map.close();
  };
}
