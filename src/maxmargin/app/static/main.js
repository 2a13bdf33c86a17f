// The first page, and the way to a work.

import * as api from "./api.js";
import { button, fill, h, say } from "./dom.js";
import { ago, number, sizeOf, stepCount } from "./format.js";
import { guard, tell } from "./guard.js";
import { setPalette } from "./look.js";
import { readingFields } from "./reading.js";
import { initTheme } from "./theme.js";

const KINDS = { table: "clusters", time: "clusters over time", image: "segments" };

const main = document.getElementById("main");
let view = null; // the work that is shown, with close() and repaint()
const reading = {}; // encoding and decimal sign of the text files that are loaded
let about = null; // version, limits, colours and built-in data sets

function leave() {
  if (view) view.close();
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
  fill(
    main,
    h(
      "div",
      { class: "page" },
      dropArea(),
      works.length ? section("Your work", works.map(workCard)) : null,
      datasets.length ? section("Your data sets", datasets.map(dataCard)) : null,
      section("Built-in data sets", Object.entries(about.builtin).map(builtinCard)),
      h(
        "p",
        { class: "small" },
        `maxmargin ${about.version}. `,
        h("a", { href: "/docs" }, "API for scripts"),
      ),
    ),
  );
}

const section = (text, cards) => [h("h2", {}, text), h("div", { class: "cards" }, cards)];

function dropArea() {
  const { bytes, rows, pixels } = about.limits;
  const most = `${number(bytes / 1e6)} MB, ${number(rows)} rows`;
  const limits = `At most ${most} or ${number(pixels / 1e6)} megapixels.`;
  const kinds = "a table (CSV, Excel, Parquet, Arrow, JSON lines) or an image";
  const input = h("input", {
    type: "file",
    id: "file",
    hidden: true,
    onchange: () => input.files[0] && load(input.files[0]),
  });
  const choose = button("Choose a file", () => input.click(), {
    class: "main",
    "aria-label": "Choose a file",
  });
  const area = h(
    "div",
    { class: "drop" },
    h("h1", {}, "See clusters, correct them, use them"),
    h("p", { class: "quiet" }, `Drop ${kinds} here.`),
    h("p", {}, choose, input),
    readingChoice(),
    h("p", { class: "small" }, `Files stay on this machine. ${limits}`),
  );
  acceptDrops(area);
  return area;
}

function readingChoice() {
  const set = (key, value) => {
    reading[key] = value;
  };
  return h(
    "details",
    { class: "reading" },
    h("summary", {}, "How text is written is found out; choose it if it is read wrongly"),
    readingFields(reading, set),
  );
}

function acceptDrops(area) {
  const over = (e) => {
    e.preventDefault();
    area.classList.add("over");
  };
  area.addEventListener("dragenter", over);
  area.addEventListener("dragover", over);
  area.addEventListener("dragleave", () => area.classList.remove("over"));
  area.addEventListener("drop", (e) => {
    e.preventDefault();
    area.classList.remove("over");
    if (e.dataTransfer.files[0]) load(e.dataTransfer.files[0]);
  });
}

// Something to open, and to remove.
function kept(name, text, hash, path, removes) {
  const open = () => {
    location.hash = hash;
  };
  return h(
    "div",
    { class: "work-row" },
    button([h("b", {}, name), h("small", {}, text)], open, { class: "pick" }),
    button("✕", () => forget(path, name), { class: "quiet", "aria-label": removes }),
  );
}

function workCard({ id, name, kind, steps, changed }) {
  const text = `${KINDS[kind]}, ${stepCount(steps)}, ${ago(changed, Date.now())}`;
  return kept(name, text, `work=${id}`, `/works/${id}`, `Remove the work on ${name}`);
}

function dataCard(data) {
  const { id, name } = data;
  const removes = `Remove the data set ${name} and its work`;
  return kept(name, sizeOf(data), `dataset=${id}`, `/datasets/${id}`, removes);
}

function builtinCard([key, text]) {
  const [name, more] = text.split(":");
  const content = h("span", {}, h("b", {}, name), h("br"), h("small", {}, more || "to segment"));
  return button(content, () => loadBuiltin(key), { class: "pick", "data-builtin": key });
}

async function forget(path, name) {
  if (!confirm(`Remove ${name}?`)) return;
  await guard(async () => {
    await api.remove(path);
    await startPage();
  });
}

async function load(file) {
  const most = about.limits.bytes;
  if (file.size > most) {
    const limit = `larger than ${most / 1e6} MB, the limit of the page`;
    say(`${file.name} is ${limit}: use the command maxmargin cluster.`, "error");
    return;
  }
  say(`Reading ${file.name} …`);
  const data = await guard(() => api.upload(file, reading));
  if (data) location.hash = `dataset=${data.id}`;
}

async function loadBuiltin(name) {
  say(`Loading ${name} …`);
  const data = await guard(() => api.post("/datasets/builtin", { name }));
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
    tell(error);
    if (kind) location.hash = "";
    else await startPage();
  }
}

async function openData(data, work = null) {
  leave();
  title(data.name);
  document.title = `${data.name} – maxmargin`;
  const module = await import(data.kind === "image" ? "./image.js" : "./table.js");
  view = await module.open(main, data, work, about);
  main.focus({ preventScroll: true });
}

// The token is in a cookie now: take it out of the address.
function hideToken() {
  const given = new URLSearchParams(location.search);
  if (!given.has("token")) return;
  given.delete("token");
  const query = given.size ? `?${given}` : "";
  history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
}

document.getElementById("home").addEventListener("click", (e) => {
  e.preventDefault();
  location.hash = "";
});
window.addEventListener("hashchange", show);
initTheme(() => view && view.repaint());
hideToken();
about = await api.get("/about");
setPalette(about.colors);
await show();
