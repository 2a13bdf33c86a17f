// The first page, and the way to a work.

import * as api from "./api.js";
import { button, fill, h, number, say } from "./dom.js";
import { initTheme, setPalette } from "./look.js";

const main = document.getElementById("main");
let view = null; // the work that is shown, with close() and repaint()
let about = null;

function leave() {
  if (view && view.close) view.close();
  view = null;
  fill(document.getElementById("topactions"));
  title("");
  document.title = "maxmargin";
}

function title(text) {
  const element = document.getElementById("title");
  element.textContent = text;
  element.hidden = !text;
}

async function startPage() {
  leave();
  const [datasets, works] = await Promise.all([api.get("/datasets"), api.get("/works")]);
  const input = h("input", { type: "file", id: "file", hidden: true, onchange: () => input.files[0] && load(input.files[0]) });
  const drop = h("div", { class: "drop" },
    h("h1", {}, "See clusters, correct them, use them"),
    h("p", { class: "quiet" }, "Drop a table (CSV, Excel, Parquet, Arrow, JSON lines) or an image here."),
    h("p", {}, button("Choose a file", () => input.click(), { class: "main", "aria-label": "Choose a file" }), input),
    h("p", { class: "small" }, `Files stay on this machine. At most ${number(about.limits.bytes / 1e6)} MB, ${number(about.limits.rows)} rows or ${number(about.limits.pixels / 1e6)} megapixels.`));
  for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, (e) => { e.preventDefault(); drop.classList.add("over"); });
  for (const kind of ["dragleave", "drop"]) drop.addEventListener(kind, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (e) => { e.preventDefault(); if (e.dataTransfer.files[0]) load(e.dataTransfer.files[0]); });
  fill(main, h("div", { class: "page" }, drop,
    works.length ? [h("h2", {}, "Your work"), h("div", { class: "cards" }, works.map(workCard))] : null,
    datasets.length ? [h("h2", {}, "Your data sets"), h("div", { class: "cards" }, datasets.map(dataCard))] : null,
    h("h2", {}, "Built-in data sets"),
    h("div", { class: "cards" }, Object.entries(about.builtin).map(([name, title]) =>
      button(h("span", {}, h("b", {}, title.split(":")[0]), h("br"), h("small", {}, title.split(":")[1] || "to segment")), () => loadBuiltin(name), { class: "pick", "data-builtin": name }))),
    h("p", { class: "small" }, `maxmargin ${about.version}. `, h("a", { href: "/docs" }, "API for scripts"))));
}

function workCard(work) {
  const kind = { table: "clusters", time: "clusters over time", image: "segments" }[work.kind];
  const steps = work.steps === 1 ? "1 step" : `${work.steps} steps`;
  return h("div", { class: "work-row" },
    button([h("b", {}, work.name), h("small", {}, `${kind}, ${steps}, ${ago(work.changed)}`)], () => { location.hash = `work=${work.id}`; }, { class: "pick" }),
    button("✕", () => forget(`/works/${work.id}`, work.name), { class: "quiet", "aria-label": `Remove the work on ${work.name}` }));
}

function dataCard(data) {
  const size = data.kind === "image" ? `${data.width} × ${data.height} pixels` : `${number(data.rows)} rows, ${data.columns.length} columns`;
  return h("div", { class: "work-row" },
    button([h("b", {}, data.name), h("small", {}, size)], () => { location.hash = `dataset=${data.id}`; }, { class: "pick" }),
    button("✕", () => forget(`/datasets/${data.id}`, data.name), { class: "quiet", "aria-label": `Remove the data set ${data.name} and its work` }));
}

async function forget(path, name) {
  if (!confirm(`Remove ${name}?`)) return;
  await attempt(async () => { await api.remove(path); await startPage(); });
}

function ago(seconds) {
  const minutes = (Date.now() / 1000 - seconds) / 60;
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${Math.round(minutes)} min ago`;
  return minutes < 1440 ? `${Math.round(minutes / 60)} h ago` : new Date(seconds * 1000).toLocaleDateString("en");
}

export async function attempt(work) {
  try { return await work(); } catch (error) {
    if (!(error instanceof api.ApiError)) console.error(error);
    say(error.message, error.cancelled ? "" : "error");
    return null;
  }
}

async function load(file) {
  if (file.size > about.limits.bytes) { say(`${file.name} is larger than ${about.limits.bytes / 1e6} MB, the limit of the page: use the command maxmargin cluster.`, "error"); return; }
  say(`Reading ${file.name} …`);
  const data = await attempt(() => api.upload(file));
  if (data) location.hash = `dataset=${data.id}`;
}

async function loadBuiltin(name) {
  say(`Loading ${name} …`);
  const data = await attempt(() => api.post("/datasets/builtin", { name }));
  if (data) location.hash = `dataset=${data.id}`;
}

async function show() {
  const [kind, id] = location.hash.slice(1).split("=");
  say("");
  try {
    if (kind === "dataset") await openData(await api.get(`/datasets/${id}`));
    else if (kind === "work") {
      const work = await api.get(`/works/${id}`);
      await openData(await api.get(`/datasets/${work.dataset}`), work);
    } else await startPage();
  } catch (error) {
    if (!(error instanceof api.ApiError)) console.error(error);
    say(error.message, "error");
    if (kind) location.hash = "";
    else await startPage();
  }
}

async function openData(data, work = null) {
  leave();
  title(data.name);
  document.title = `${data.name} – maxmargin`;
  const module = data.kind === "image" ? await import("./image.js") : await import("./table.js");
  view = await module.open(main, data, work, about);
  main.focus({ preventScroll: true });
}

document.getElementById("home").addEventListener("click", (e) => { e.preventDefault(); location.hash = ""; });
window.addEventListener("hashchange", show);
initTheme(() => view && view.repaint && view.repaint());
const given = new URLSearchParams(location.search);
if (given.has("token")) { // it is in a cookie now
  given.delete("token");
  history.replaceState(null, "", `${location.pathname}${given.size ? `?${given}` : ""}${location.hash}`);
}
about = await api.get("/about");
setPalette(about.colors);
await show();
