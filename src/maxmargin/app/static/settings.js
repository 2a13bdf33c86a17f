// The settings of a fit: the form of the page, and the record that the server takes.

const CLASSES = /^(class|label|target|species)$/i;
const TIMES = /^(time|date|month|year|week|day|period)$/i;
const NAMES = /^(id|object|name|key|customer)/i;

// Whether a column tells all rows apart and is not used: its values are names of rows.
const isId = ({ distinct, used, missing }, rows) => distinct === rows && !used && !missing;

// The form for a data set: columns are recognised by their names. With the settings of an
// earlier fit, these.
export function firstForm(data, settings = null) {
  const column = (pattern) => data.columns.find((c) => pattern.test(c.name));
  const label = column(CLASSES);
  const names = column(NAMES);
  // Snapshots are of objects that are seen several times.
  const time = names && names.distinct < data.rows ? column(TIMES) : undefined;
  const id = time ? names : data.columns.find((c) => isId(c, data.rows) && c !== label);
  const used = data.columns.filter((c) => c.used && ![label, time, id].includes(c));
  const form = {
    method: "maxmargin",
    clusters: time ? "2" : "auto",
    balance: "free",
    min_size: "",
    max_size: "",
    scale: "auto",
    missing: "median",
    kernel: "auto",
    seed: "0",
    label: label ? label.name : "",
    id_column: id ? id.name : "",
    time: time ? time.name : "",
    strategy: "cohort",
    features: new Set(used.map((c) => c.name)),
    roles: {}, // of columns that are not what they are taken for
    weights: {},
  };
  return settings ? { ...form, ...formOf(settings, data) } : form;
}

function formOf(settings, data) {
  const features = settings.features || data.columns.filter((c) => c.used).map((c) => c.name);
  const form = { ...settings, features: new Set(features), clusters: String(settings.clusters) };
  form.roles = { ...settings.roles };
  form.weights = { ...settings.weights };
  for (const key of ["label", "id_column", "time", "min_size", "max_size"]) {
    form[key] = settings[key] || "";
  }
  if (settings.min_size || settings.max_size) form.balance = "limits";
  delete form.kind;
  return form;
}

// Columns with a role of their own are not used by the fit.
export const rolesOf = (form) => [form.label, form.id_column, form.time];

// The record for the server.
export function settingsOf(form, data) {
  const roles = rolesOf(form);
  const names = data.columns.map((c) => c.name);
  const columns = {
    features: names.filter((name) => form.features.has(name) && !roles.includes(name)),
    id_column: form.id_column || null,
    label: form.label || null,
    scale: form.scale,
    missing: form.missing,
    encoding: data.encoding ?? null, // those that were chosen for the file
    decimal: data.decimal ?? null,
    roles: form.roles,
    weights: form.weights,
    seed: Number(form.seed),
  };
  const clusters = form.clusters === "auto" ? "auto" : Number(form.clusters);
  if (form.time) {
    return { kind: "time", time: form.time, clusters, strategy: form.strategy, ...columns };
  }
  const margin = form.method === "maxmargin"; // the other methods have no sizes to choose
  const limits = margin && form.balance === "limits";
  const limit = (size) => (limits && size ? Number(size) : null);
  return {
    kind: "table",
    method: form.method,
    clusters,
    kernel: form.kernel,
    balance: margin && !limits ? form.balance : "free",
    min_size: limit(form.min_size),
    max_size: limit(form.max_size),
    ...columns,
  };
}
