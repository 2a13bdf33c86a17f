// The settings of a fit.

import { button, field, h, number, select } from "./dom.js";

const none = [["", "none"]];

export function setupPanel(page) {
  const { data } = page;
  if (!page.form) {
    const looks = data.columns.find((c) => /^(class|label|target|species)$/i.test(c.name));
    const time = data.columns.find((c) => /^(time|date|month|year|week|day|period)$/i.test(c.name));
    const id = time && data.columns.find((c) => /^(id|object|name|key|customer)/i.test(c.name));
    page.form = { method: "maxmargin", clusters: time ? "2" : "auto", balance: "free", min_size: "", max_size: "", scale: "auto", missing: "median", kernel: "auto", seed: "0",
      label: looks ? looks.name : "", id_column: id ? id.name : "", time: time ? time.name : "", strategy: "cohort",
      features: new Set(data.columns.filter((c) => c.used && c !== looks && c !== time && c !== id).map((c) => c.name)) };
    if (page.work && page.work.settings) Object.assign(page.form, known(page.work.settings, data));
  }
  const form = page.form;
  const names = data.columns.map((c) => [c.name, c.name]);
  const set = (key) => (value) => { form[key] = value; page.render(); };
  const input = (key, label, more = {}) => h("input", { type: "number", "aria-label": label, value: form[key], onchange: (e) => { form[key] = e.target.value; }, ...more });
  const columns = h("div", { class: "columns", role: "group", "aria-label": "Columns to use" }, data.columns.map((column) => h("label", {},
    h("input", { type: "checkbox", checked: form.features.has(column.name), disabled: [form.label, form.id_column, form.time].includes(column.name), onchange: (e) => { if (e.target.checked) form.features.add(column.name); else form.features.delete(column.name); } }),
    h("span", {}, column.name), h("small", {}, `${column.kind === "text" ? "text" : "number"}, ${number(column.distinct)} values${column.missing ? `, ${number(column.missing)} missing` : ""}`))));
  const all = (on) => { form.features = new Set(on ? data.columns.map((c) => c.name) : []); page.render(); };
  const plain = form.method === "maxmargin" && !form.time;
  return [
    h("div", { class: "two" },
      field("Number of clusters", h("input", { type: "text", inputmode: "numeric", value: form.clusters, id: "clusters", onchange: (e) => { form.clusters = e.target.value.trim(); } }), "a number, or auto"),
      field("Method", form.time ? select("Method", [["maxmargin", "over time"]], "maxmargin", () => {}) : select("Method", [["maxmargin", "maximum margin"], ["k-means", "k-means"], ["mixture", "Gaussian mixture"]], form.method, set("method")))),
    button("Cluster", () => cluster(page), { class: "main", disabled: page.busy, id: "run" }),
    h("h3", {}, "Columns"), h("div", { class: "row tight" }, button("all", () => all(true)), button("none", () => all(false))), columns,
    h("div", { class: "two" },
      field("Known classes", select("Column of known classes", [...none, ...names], form.label, set("label")), "not used by the fit"),
      field("Names of rows", select("Column of the names of rows", [...none, ...names], form.id_column, set("id_column")))),
    h("div", { class: "two" },
      field("Time", select("Column of times", [...none, ...names], form.time, set("time")), "plays as snapshots"),
      form.time ? field("Changes little", select("What changes little over time", [["cohort", "the data"], ["individual", "each object"], ["model", "the boundary"]], form.strategy, set("strategy"))) : null),
    h("details", {}, h("summary", {}, "More settings"),
      plain ? [field("Sizes", select("Sizes of the clusters", [["free", "free"], ["equal", "equal"], ["limits", "within limits"]], form.balance, set("balance"))),
        form.balance === "limits" ? h("div", { class: "two" }, field("At least", input("min_size", "Least size", { min: 1 })), field("At most", input("max_size", "Largest size", { min: 1 }))) : null,
        field("Similarity", select("Similarity", [["auto", "automatic"], ["neighbors", "neighbour graph"], ["rbf", "radial kernel"], ["linear", "linear kernel"]], form.kernel, set("kernel")))] : null,
      field("Scale columns", select("Scale columns", [["auto", "automatic"], ["on", "yes"], ["off", "no"]], form.scale, set("scale"))),
      field("Missing values", select("Missing values", [["median", "replace by the median"], ["drop", "leave out the row"], ["error", "stop"]], form.missing, set("missing"))),
      field("Seed", input("seed", "Seed", { min: 0 }))),
    (page.work && page.work.step && page.work.step.notes || data.notes || []).map((note) => h("p", { class: "small" }, note)),
  ];
}

function known(settings, data) {
  const form = { ...settings, features: new Set(settings.features || data.columns.filter((c) => c.used).map((c) => c.name)) };
  for (const key of ["label", "id_column", "time"]) form[key] = settings[key] || "";
  form.clusters = String(settings.clusters);
  if (settings.min_size || settings.max_size) form.balance = "limits";
  form.min_size = settings.min_size || ""; form.max_size = settings.max_size || "";
  delete form.kind;
  return form;
}

export function settingsOf(form, data) {
  const skip = [form.label, form.id_column, form.time];
  const features = data.columns.map((c) => c.name).filter((name) => form.features.has(name) && !skip.includes(name));
  const clusters = form.clusters === "auto" ? "auto" : Number(form.clusters);
  const columns = { features, id_column: form.id_column || null, label: form.label || null, scale: form.scale, missing: form.missing, seed: Number(form.seed) };
  if (form.time) return { kind: "time", time: form.time, clusters, strategy: form.strategy, ...columns };
  const limits = form.balance === "limits" && form.method === "maxmargin";
  return { kind: "table", method: form.method, clusters, kernel: form.kernel, balance: form.method === "maxmargin" && !limits ? form.balance : "free",
    min_size: limits && form.min_size ? Number(form.min_size) : null, max_size: limits && form.max_size ? Number(form.max_size) : null, ...columns };
}

function cluster(page) {
  if (page.other) page.other.close();
  page.fit(`/datasets/${page.data.id}/works`, settingsOf(page.form, page.data));
}
