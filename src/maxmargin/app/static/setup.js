// The panel of the settings of a fit.

import { button, field, h, select } from "./dom.js";
import { aboutColumn, weightText } from "./format.js";
import { breakable } from "./parts.js";
import { readingPart } from "./reading.js";
import { firstForm, rolesOf, settingsOf } from "./settings.js";

const METHODS = [
  ["maxmargin", "maximum margin"],
  ["k-means", "k-means"],
  ["mixture", "Gaussian mixture"],
];
const ROLES = ["number", "few values", "category", "text"];
const FACTORS = [1, 2, 4, 0.25, 0.5]; // by which the weight of a column is multiplied
const MANY = 300; // columns, which are listed without controls
const STRATEGIES = [
  ["cohort", "the data"],
  ["individual", "each object"],
  ["model", "the boundary"],
];
const SIZES = [
  ["free", "free"],
  ["equal", "equal"],
  ["limits", "within limits"],
];
const SCALES = [
  ["auto", "automatic"],
  ["on", "yes"],
  ["off", "no"],
];
const MISSING = [
  ["median", "replace by those of similar rows"],
  ["drop", "leave out the row"],
  ["error", "stop"],
];

export function setupPanel(page) {
  const { data, work } = page;
  page.form ||= firstForm(data, work && work.settings);
  const notes = (work && work.step && work.step.notes) || data.notes || [];
  return [
    firstFields(page),
    button("Cluster", () => cluster(page), { class: "main", disabled: page.busy, id: "run" }),
    h("h3", {}, "Columns"),
    columnButtons(page),
    columnList(page),
    readingPart(page),
    roleFields(page),
    h(
      "details",
      {},
      h("summary", {}, "More settings"),
      page.form.method === "maxmargin" && !page.form.time ? marginFields(page) : null,
      choice(page, "Scale columns", "Scale columns", SCALES, "scale"),
      choice(page, "Missing values", "Missing values", MISSING, "missing"),
      field("Seed", numberInput(page.form, "seed", "Seed", 0)),
    ),
    notes.map((note) => h("p", { class: "small" }, note)),
  ];
}

// A choice of a setting. The panel is shown anew, as other settings may depend on it.
function choice(page, title, label, options, key, hint) {
  const set = (value) => {
    page.form[key] = value;
    if (page.form.time && page.form.clusters === "auto") page.form.clusters = "2"; // none is found
    page.render();
  };
  return field(title, select(label, options, page.form[key], set), hint);
}

function numberInput(form, key, label, min) {
  const onchange = (e) => {
    form[key] = e.target.value;
  };
  return h("input", { type: "number", "aria-label": label, value: form[key], onchange, min });
}

function firstFields(page) {
  const { form } = page;
  const clusters = h("input", {
    type: "text",
    inputmode: "numeric",
    value: form.clusters,
    id: "clusters",
    onchange: (e) => {
      form.clusters = e.target.value.trim();
    },
  });
  const overTime = select("Method", [["maxmargin", "over time"]], "maxmargin", () => {});
  return h(
    "div",
    { class: "two" },
    field("Number of clusters", clusters, form.time ? "a number" : "a number, or auto"),
    form.time ? field("Method", overTime) : choice(page, "Method", "Method", METHODS, "method"),
  );
}

function columnButtons(page) {
  const use = (columns) => () => {
    page.form.features = new Set(columns.map((c) => c.name));
    page.render();
  };
  const buttons = [button("all", use(page.data.columns)), button("none", use([]))];
  return h("div", { class: "row tight" }, buttons);
}

function columnList(page) {
  const { features } = page.form;
  const roles = rolesOf(page.form);
  const labels = page.data.columns.map((column) => {
    const { name } = column;
    const box = h("input", {
      type: "checkbox",
      checked: features.has(name),
      disabled: roles.includes(name),
      onchange: (e) => (e.target.checked ? features.add(name) : features.delete(name)),
    });
    const about = h("small", { title: column.reason }, aboutColumn(column));
    const label = h("label", {}, box, h("span", {}, breakable(name), about));
    const many = page.data.columns.length > MANY;
    return h("div", { class: "column" }, label, many ? null : columnControls(page, column));
  });
  return h("div", { class: "columns", role: "group", "aria-label": "Columns to use" }, labels);
}

// What a column is taken for, and how much it counts: a click changes it.
function columnControls(page, { name, role, weight }) {
  const { form } = page;
  if (rolesOf(form).includes(name)) return null;
  const set = (chosen) => {
    if (chosen) form.roles[name] = chosen;
    else delete form.roles[name];
    page.render();
  };
  const options = [["", role], ...ROLES.filter((one) => one !== role).map((one) => [one, one])];
  const factor = form.weights[name] || 1;
  const next = FACTORS[(FACTORS.indexOf(factor) + 1) % FACTORS.length];
  const click = () => {
    if (next === 1) delete form.weights[name];
    else form.weights[name] = next;
    page.render();
    document.querySelector(`[data-weight="${CSS.escape(name)}"]`)?.focus();
  };
  return [
    select(`What ${name} is taken for`, options, form.roles[name] || "", set),
    button(weightText(form.roles[name] ? null : weight, factor), click, {
      class: "quiet weight",
      title: "How much the column counts; click to change it",
      "aria-label": `Weight of ${name}, ${factor} times`,
      "data-weight": name,
    }),
  ];
}

function roleFields(page) {
  const columns = [["", "none"], ...page.data.columns.map((c) => [c.name, c.name])];
  const column = (title, label, key, hint) => choice(page, title, label, columns, key, hint);
  return [
    h(
      "div",
      { class: "two" },
      column("Known classes", "Column of known classes", "label", "not used by the fit"),
      column("Names of rows", "Column of the names of rows", "id_column"),
    ),
    h(
      "div",
      { class: "two" },
      column("Time", "Column of times", "time", "plays as snapshots"),
      page.form.time
        ? choice(page, "Changes little", "What changes little over time", STRATEGIES, "strategy")
        : null,
    ),
  ];
}

function marginFields(page) {
  const { form } = page;
  const limits = h(
    "div",
    { class: "two" },
    field("At least", numberInput(form, "min_size", "Least size", 1)),
    field("At most", numberInput(form, "max_size", "Largest size", 1)),
  );
  return [
    choice(page, "Sizes", "Sizes of the clusters", SIZES, "balance"),
    form.balance === "limits" ? limits : null,
    choice(page, "Similarity", "Similarity", Object.entries(page.similarities), "kernel"),
  ];
}

function cluster(page) {
  if (page.other) page.other.close();
  page.fit(`/datasets/${page.data.id}/works`, settingsOf(page.form, page.data));
}
