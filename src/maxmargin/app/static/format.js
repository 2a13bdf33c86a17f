// Numbers, times and sizes as text.

export const number = (value) => Number(value).toLocaleString("en");

export const percent = (value) => `${Math.round(100 * value)}%`;

export function short(value) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

// The beginning of a long text.
export const shortened = (text, most) =>
  text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;

// The parts between which a text may break: after signs and between small and large letters,
// not within words.
export const breakParts = (text) =>
  String(text).split(/(?<=[_\-./:;,=|])(?=[^\s\d])|(?<=[\p{Ll}\d])(?=\p{Lu})/u);

export const stepCount = (steps) => (steps === 1 ? "1 step" : `${steps} steps`);

export const clusterCount = (clusters) => (clusters === 1 ? "1 cluster" : `${clusters} clusters`);

// How long ago a time in seconds was; now is in milliseconds, as Date.now() is.
export function ago(seconds, now) {
  const minutes = (now / 1000 - seconds) / 60;
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${Math.round(minutes)} min ago`;
  if (minutes < 1440) return `${Math.round(minutes / 60)} h ago`;
  return new Date(seconds * 1000).toLocaleDateString("en");
}

export function sizeOf(data) {
  if (data.kind === "image") return `${data.width} × ${data.height} pixels`;
  const columns = data.columns.length;
  const rows = data.rows === 1 ? "1 row" : `${number(data.rows)} rows`;
  return `${rows}, ${columns === 1 ? "1 column" : `${number(columns)} columns`}`;
}

export function aboutColumn(column) {
  const missing = column.missing ? `, ${number(column.missing)} missing` : "";
  return `${number(column.distinct)} values${missing}`;
}

// How much a column counts: a number counts 1; unknown before a fit with another role.
export function weightText(weight, factor) {
  const known = weight === null ? "?" : String(Number((weight * factor).toPrecision(2)));
  const times = factor === 1 ? "" : ` (×${factor})`;
  return `counts ${known === "0.001" ? "0" : known}${times}`;
}

export function progressText(job) {
  const words = [job.state === "waiting" ? "waiting" : job.stage || "working"];
  words.push(`${job.seconds.toFixed(1)} s`);
  if (job.seconds_left) words.push(`about ${Math.ceil(job.seconds_left)} s left`);
  if (job.objective !== null && job.objective !== undefined) {
    words.push(`objective ${short(job.objective)}`);
  }
  return words.join(" · ");
}

// A margin, which is not there if there is one cluster. It is no percentage: that would
// look like a probability.
export function marginText(margin) {
  if (typeof margin !== "number") return "–";
  // Near the boundary two digits tell rows apart.
  return margin < 0.1 ? String(Number(margin.toPrecision(2))) : margin.toFixed(2);
}

export const MARGIN =
  "Margin: how far a row is from the boundary to the next cluster, relative to the median " +
  "row and at most 1. It tells which rows are doubtful, not how probable it is that the " +
  "clusters are right.";

// How far the clusters are those of the column of known classes, if there is one.
export function agreementText(agreement, label) {
  if (typeof agreement !== "number") return "";
  return ` · agreement with ${label} ${agreement.toFixed(2)}`;
}

// What a correction did to the mean margin; nothing if the change would show as 0.00.
export function marginChange(before, after) {
  const change = (after ?? 0) - (before ?? 0);
  if (before === null || after === null || Math.abs(change) < 0.005) return "";
  return `, mean margin ${change > 0 ? "+" : "−"}${Math.abs(change).toFixed(2)}`;
}

// What the user said so far.
export function constraintText(constraints) {
  const parts = [
    [constraints.labels.length, "rows with a cluster"],
    [constraints.together.length, "pairs together"],
    [constraints.apart.length, "pairs apart"],
    [constraints.unsure.length, "rows unsure"],
  ].filter(([count]) => count);
  if (!parts.length) return "Nothing yet: the clusters are those of the fit.";
  return parts.map(([count, text]) => `${number(count)} ${text}`).join(", ");
}
