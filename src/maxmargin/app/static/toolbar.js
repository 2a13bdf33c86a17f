// What stands around the map: the toolbar, undo and redo, and the actions for selected rows.

import * as api from "./api.js";
import { button, fill, h, say, select } from "./dom.js";
import { number, sizeOf } from "./format.js";
import { guard } from "./guard.js";
import { nameOf } from "./look.js";

const LAYOUTS = [
  ["graph", "Neighbour graph"],
  ["pca", "Principal components"],
  ["columns", "Two columns"],
];
const MOST_TOGETHER = 1000; // rows that can be put together by one answer

export function renderToolbar(page) {
  const { work } = page;
  if (!work || !work.step) {
    fill(page.bar, h("span", { class: "quiet" }, sizeOf(page.data)));
    return;
  }
  fill(
    page.bar,
    layoutChoice(page),
    tool(page, "pan", "Move", "Drag moves the map; with Shift it selects"),
    tool(page, "lasso", "Lasso", "Drag around rows to select them"),
    button("Fit", () => page.map.reset(), { title: "Show all rows" }),
    h("span", { class: "grow" }),
    h("input", {
      type: "search",
      placeholder: "Search rows",
      "aria-label": "Search rows",
      size: "12",
      onkeydown: (e) => e.key === "Enter" && search(page, e.target.value),
    }),
  );
}

async function search(page, text) {
  if (!text.trim()) return;
  const query = encodeURIComponent(text.trim());
  const rows = await guard(() => api.get(`/works/${page.work.id}/search?text=${query}`));
  if (!rows) return;
  say(rows.length ? `${rows.length} rows found` : "No row has this text.");
  page.select(rows);
}

function layoutChoice(page) {
  const names = page.data.columns.map((c) => c.name);
  const [x, y] = page.axes || [names[0], names[1] || names[0]];
  // Snapshots have no common neighbour graph.
  const layouts = LAYOUTS.filter(([key]) => key !== "graph" || page.work.kind !== "time");
  const show = async (layout, axes) => {
    page.layout = layout;
    page.axes = layout === "columns" ? axes : null;
    await guard(() => page.place());
    page.paint();
    page.render();
  };
  const columns = names.map((name) => [name, name]);
  const axis = (label, name, choose) =>
    select(label, columns, name, (v) => show("columns", choose(v)));
  return [
    select("Layout of the map", layouts, page.layout, (layout) => show(layout, [x, y])),
    page.layout === "columns"
      ? [
          axis("Horizontal axis", x, (name) => [name, y]),
          axis("Vertical axis", y, (name) => [x, name]),
        ]
      : null,
  ];
}

function tool(page, key, text, title) {
  const on = page.map.tool === key;
  const choose = () => {
    page.map.tool = key;
    page.map.element.classList.toggle("lasso", key === "lasso");
    renderToolbar(page);
  };
  return button(text, choose, { class: on ? "on" : "", "aria-pressed": String(on), title });
}

export function renderUndo(page) {
  const { work, busy } = page;
  const top = document.getElementById("topactions");
  if (!work || !work.step || work.kind !== "table") {
    fill(top);
    return;
  }
  fill(
    top,
    button("↶ Undo", () => page.move("undo"), {
      disabled: work.position < 1 || busy,
      title: "Ctrl+Z",
      "aria-label": "Undo",
    }),
    button("↷ Redo", () => page.move("redo"), {
      disabled: work.position >= work.steps.length - 1 || busy,
      title: "Ctrl+Y",
      "aria-label": "Redo",
    }),
  );
}

export function renderSelection(page) {
  const rows = [...page.selection];
  page.actions.hidden = !rows.length || !page.work || page.work.kind !== "table";
  if (page.actions.hidden) return;
  const act = (text, action, more = {}) =>
    button(text, () => page.correct({ ...action, rows }), { disabled: page.busy, ...more });
  fill(
    page.actions,
    h("b", {}, rows.length === 1 ? `Row ${rows[0]}` : `${number(rows.length)} rows`),
    assignChoice(page, rows),
    rows.length > 1 && rows.length <= MOST_TOGETHER ? act("Together", { kind: "together" }) : null,
    rows.length === 2 ? act("Apart", { kind: "apart" }) : null,
    rows.length > 3
      ? act(
          "Cluster anew",
          { kind: "recluster", into: 2 },
          { title: "Divide the selected rows into two new clusters" },
        )
      : null,
    act("Unsure", { kind: "unsure" }),
    button("✕", () => page.select([]), { class: "quiet", "aria-label": "Clear the selection" }),
  );
}

function assignChoice(page, rows) {
  const clusters = page.work.step.clusters.map((c) => [c.id, nameOf(c)]);
  const options = [["", "Assign to …"], ...clusters, ["new", "a new cluster"]];
  const assign = (value) => {
    if (!value) return;
    page.correct({ kind: "assign", rows, cluster: value === "new" ? null : Number(value) });
  };
  const label = "Assign the selected rows to a cluster";
  return select(label, options, "", assign, { disabled: page.busy });
}
