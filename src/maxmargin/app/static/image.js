// The page of an image: paint strokes, see the segments, correct them with further strokes.

import * as api from "./api.js";
import { button, cell, fill, h, line, numberCell, say, select } from "./dom.js";
import { number, percent } from "./format.js";
import { colorDot, download } from "./parts.js";
import { showProgress } from "./progress.js";
import { brushCount, isOneSided, pixelAt, segmentCount, shownWidth } from "./strokes.js";

const PALETTE = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#f0e442",
  "#000000",
];
const LONGEST = 5000; // points of a stroke that the server takes

export async function open(main, data, work) {
  const page = new ImagePage(main, data, work);
  await page.start();
  return page;
}

// The state of the page. An object is sealed when it is made, so that a field that is not
// declared here is an error.
class ImagePage {
  // The work, as the server knows it.
  data; // the data set
  work; // null before the first fit
  busy = false; // a fit is running: strokes wait
  closed = false; // another page is shown: answers that come now are too late

  // What is painted.
  strokes = []; // { segment, width, points }, segments from 1
  waiting = []; // strokes that were painted while a fit runs, for the next one
  current = null; // the stroke that is being painted
  segment = 1; // the segment of the next stroke
  width; // and its width
  segments = 2; // to find without strokes

  // What is seen.
  picture = null; // the image
  overlay = null; // the segments, as an image
  opacity = 0.45; // of the segments

  // Elements.
  canvas;
  bar = h("div", { class: "bar", role: "toolbar", "aria-label": "Strokes" });
  progress = h("div", { class: "progress", hidden: true });
  panel = h("div", { class: "panel", tabindex: "0", role: "region", "aria-label": "Segments" });
  observer = new ResizeObserver(() => this.resize());

  constructor(main, data, work) {
    this.data = data;
    this.work = work;
    this.width = Math.max(3, Math.round(data.width / 60));
    this.canvas = h("canvas", {
      width: data.width,
      height: data.height,
      role: "img",
      tabindex: "0",
      "aria-label": "The image, with painted strokes and segments",
    });
    Object.seal(this);
    const room = h("div", { class: "paint" }, h("div", {}, this.canvas));
    const stage = h("section", { class: "stage", "aria-label": "Image" }, room, this.progress);
    const side = h("aside", { class: "side", "aria-label": "Segments" }, this.panel);
    fill(main, h("div", { class: "work" }, this.bar, stage, side));
    this.observer.observe(room);
    this.listen();
  }

  close() {
    this.closed = true;
    this.observer.disconnect();
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement.parentElement;
    const room = { width: clientWidth, height: clientHeight };
    const width = shownWidth(this.data, room, innerHeight);
    if (width === null) return;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = "auto";
  }

  repaint() {
    this.render();
  }

  async start() {
    this.picture = await load(`/api/datasets/${this.data.id}/picture`);
    await this.refresh();
    const path = `/datasets/${this.data.id}/works`;
    if (this.work && this.work.job) await this.run(this.work.job);
    else if (!this.work) await this.fit(path, { kind: "image", clusters: 2 });
  }

  async refresh() {
    if (this.work && this.work.step) {
      const { id, step } = this.work;
      this.strokes = step.strokes.slice();
      this.overlay = await load(`/api/works/${id}/image/segments?${step.result}`);
    }
    this.draw();
    this.render();
  }

  draw() {
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.picture, 0, 0);
    if (this.overlay) {
      context.globalAlpha = this.opacity;
      context.drawImage(this.overlay, 0, 0);
      context.globalAlpha = 1;
    }
    for (const stroke of [...this.strokes, ...this.waiting]) drawStroke(context, stroke);
    if (this.current) drawStroke(context, this.current);
  }

  listen() {
    const { canvas } = this;
    const point = ({ clientX, clientY }) =>
      pixelAt(clientX, clientY, canvas.getBoundingClientRect(), canvas.width, canvas.height);
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      this.current = { segment: this.segment, width: this.width, points: [point(e)] };
      this.draw();
    });
    canvas.addEventListener("pointermove", (e) => {
      if (!this.current || this.current.points.length >= LONGEST) return;
      this.current.points.push(point(e));
      this.draw();
    });
    canvas.addEventListener("pointerup", () => {
      if (!this.current) return;
      (this.busy ? this.waiting : this.strokes).push(this.current);
      this.current = null;
      if (this.busy) this.draw();
      else this.paint();
    });
  }

  // Each segment needs a stroke before the strokes count.
  async paint() {
    this.draw();
    this.render();
    if (isOneSided(this.strokes)) {
      say("Paint a stroke of another segment, too.");
      return;
    }
    const segments = segmentCount(this.strokes, this.segments);
    await this.fit(`/works/${this.work.id}/strokes`, { strokes: this.strokes, segments });
  }

  async fit(path, body) {
    try {
      await this.run(await api.post(path, body));
    } catch (error) {
      say(error.message, "error");
    }
  }

  async run(job) {
    this.busy = true;
    say("");
    this.showProgress(job);
    try {
      await api.follow(job, (state) => this.showProgress(state));
      this.work = await api.get(`/works/${job.work}`);
      history.replaceState(null, "", `#work=${job.work}`);
    } catch (error) {
      say(error.message, error.cancelled ? "" : "error");
    } finally {
      this.busy = false;
      this.progress.hidden = true;
      if (!this.closed) await this.refresh();
    }
    if (this.closed || !this.work || !this.waiting.length) return;
    this.strokes.push(...this.waiting.splice(0));
    await this.paint();
  }

  showProgress(job) {
    const text = `segmenting · ${job.seconds.toFixed(1)} s`;
    showProgress(this.progress, job, text, "Progress of the segmentation");
  }

  // Undo or redo.
  async move(way) {
    try {
      this.work = await api.post(`/works/${this.work.id}/${way}`);
      await this.refresh();
    } catch (error) {
      say(error.message, "error");
    }
  }

  render() {
    if (this.closed) return;
    this.renderBar();
    const hint = "Paint a stroke on the foreground and one on the background.";
    const step = this.work && this.work.step;
    fill(
      this.panel,
      h("h2", { class: "unseen" }, "Segments"),
      h("p", { class: "quiet" }, `${hint} Correct the segments with further strokes.`),
      step ? [this.segmentList(step), exportList(this.work)] : null,
    );
  }

  renderBar() {
    const { work, busy } = this;
    const first = !work || work.position < 1;
    const last = !work || work.position >= work.steps.length - 1;
    const undo = { disabled: first || busy, "aria-label": "Undo" };
    const redo = { disabled: last || busy, "aria-label": "Redo" };
    fill(
      this.bar,
      h("span", { class: "quiet" }, "Paint"),
      Array.from({ length: brushCount(this.strokes) }, (_, i) => this.brush(i + 1)),
      this.widthSlider(),
      this.opacitySlider(),
      h("span", { class: "grow" }),
      button("↶ Undo", () => this.move("undo"), undo),
      button("↷ Redo", () => this.move("redo"), redo),
    );
  }

  brush(segment) {
    const on = this.segment === segment;
    const choose = () => {
      this.segment = segment;
      this.render();
    };
    const foreground = segment === 1 ? ", the foreground" : "";
    return button(colorDot(PALETTE[segment - 1]), choose, {
      class: on ? "on" : "",
      "aria-pressed": String(on),
      "aria-label": `Paint segment ${segment}${foreground}`,
    });
  }

  widthSlider() {
    return slider("width", "Width of the brush", {
      min: 2,
      max: Math.round(this.data.width / 12),
      value: this.width,
      oninput: (e) => {
        this.width = Number(e.target.value);
      },
    });
  }

  opacitySlider() {
    return slider("segments", "Opacity of the segments", {
      min: 0,
      max: 1,
      step: 0.05,
      value: this.opacity,
      oninput: (e) => {
        this.opacity = Number(e.target.value);
        this.draw();
      },
    });
  }

  segmentList(step) {
    const total = step.sizes.reduce((a, b) => a + b, 0);
    const lines = step.sizes.map((size, i) =>
      line(
        cell(colorDot(step.colors[i]), ` segment ${i + 1}`),
        numberCell(`${number(size)} pixels`),
        numberCell(percent(size / total)),
      ),
    );
    return [
      h("h3", {}, "Segments"),
      h("table", {}, h("tbody", {}, lines)),
      step.strokes.length ? null : h("p", {}, this.countChoice(step)),
    ];
  }

  countChoice(step) {
    const counts = [2, 3, 4, 5, 6].map((k) => [k, `${k} segments`]);
    return select("Number of segments", counts, step.segments, (k) => {
      this.segments = Number(k);
      this.strokes = [];
      this.paint();
    });
  }
}

function slider(text, label, more) {
  const input = h("input", { type: "range", ...more, "aria-label": label });
  return h("label", { class: "row tight" }, h("span", { class: "small" }, text), input);
}

// White edges are seen on any image.
function drawStroke(context, { segment, width, points }) {
  context.lineCap = "round";
  context.lineJoin = "round";
  const lines = [
    ["#ffffff", width + 2],
    [PALETTE[segment - 1], width],
  ];
  for (const [color, lineWidth] of lines) {
    context.strokeStyle = color;
    context.lineWidth = lineWidth;
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    if (points.length === 1) context.lineTo(points[0][0] + 0.1, points[0][1]);
    context.stroke();
  }
}

function exportList(work) {
  const file = (name, text) => download(`/api/works/${work.id}/image/${name}`, `${name}.png`, text);
  return [
    h("h3", {}, "Export"),
    file("foreground", "the foreground, cut out"),
    file("mask", "white on black"),
    file("segments", "all segments"),
  ];
}

function load(path) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new api.ApiError("The picture cannot be shown."));
    image.src = path;
  });
}
