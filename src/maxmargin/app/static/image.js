// An image: paint strokes, see the segments, correct them with further strokes.

import * as api from "./api.js";
import { button, fill, h, number, say, select } from "./dom.js";

const PALETTE = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000"];

export async function open(main, data, work) {
  const page = new ImagePage(main, data, work);
  await page.start();
  return page;
}

class ImagePage {
  constructor(main, data, work) {
    Object.assign(this, { main, data, work, segment: 1, width: Math.max(3, Math.round(data.width / 60)), opacity: 0.45, strokes: [], segments: 2 });
    this.canvas = h("canvas", { width: data.width, height: data.height, role: "img", tabindex: "0", "aria-label": "The image, with painted strokes and segments" });
    this.bar = h("div", { class: "bar", role: "toolbar", "aria-label": "Strokes" });
    this.progress = h("div", { class: "progress", hidden: true });
    this.panel = h("div", { class: "panel", tabindex: "0", role: "region", "aria-label": "Segments" });
    fill(main, h("div", { class: "work" }, this.bar, h("section", { class: "stage", "aria-label": "Image" }, h("div", { class: "paint" }, h("div", {}, this.canvas)), this.progress), h("aside", { class: "side", "aria-label": "Segments" }, this.panel)));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.canvas.parentElement.parentElement);
    this.listen();
  }

  close() { this.closed = true; this.observer.disconnect(); }

  // Show the image as large as there is room, at most four times its size.
  resize() {
    const room = this.canvas.parentElement.parentElement;
    const height = Math.max(220, Math.min(room.clientHeight, innerHeight) - 26);
    const scale = Math.min((room.clientWidth - 26) / this.data.width, height / this.data.height, 4);
    if (scale > 0) { this.canvas.style.width = `${Math.floor(scale * this.data.width)}px`; this.canvas.style.height = "auto"; }
  }

  repaint() { this.render(); }

  async start() {
    this.picture = await load(`/api/datasets/${this.data.id}/picture`);
    await this.refresh();
    if (this.work && this.work.job) await this.run(this.work.job);
    else if (!this.work) await this.fit(`/datasets/${this.data.id}/works`, { kind: "image", clusters: 2 });
  }

  async refresh() {
    if (this.work && this.work.step) {
      this.strokes = this.work.step.strokes.slice();
      this.overlay = await load(`/api/works/${this.work.id}/image/segments?${this.work.step.result}`);
    }
    this.draw();
    this.render();
  }

  draw() {
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.drawImage(this.picture, 0, 0);
    if (this.overlay) { context.globalAlpha = this.opacity; context.drawImage(this.overlay, 0, 0); context.globalAlpha = 1; }
    for (const stroke of [...this.strokes, this.current].filter(Boolean)) {
      for (const [color, width] of [["#ffffff", stroke.width + 2], [PALETTE[stroke.segment - 1], stroke.width]]) {
        context.strokeStyle = color; context.lineWidth = width; context.lineCap = "round"; context.lineJoin = "round";
        context.beginPath();
        stroke.points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
        if (stroke.points.length === 1) context.lineTo(stroke.points[0][0] + 0.1, stroke.points[0][1]);
        context.stroke();
      }
    }
  }

  listen() {
    const point = (e) => {
      const box = this.canvas.getBoundingClientRect();
      return [(e.clientX - box.left) * this.canvas.width / box.width, (e.clientY - box.top) * this.canvas.height / box.height].map((v) => Math.round(10 * v) / 10);
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      if (this.busy || !this.work) return;
      this.canvas.setPointerCapture(e.pointerId);
      this.current = { segment: this.segment, width: this.width, points: [point(e)] };
      this.draw();
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (!this.current || this.current.points.length >= 5000) return;
      this.current.points.push(point(e));
      this.draw();
    });
    this.canvas.addEventListener("pointerup", () => {
      if (!this.current) return;
      this.strokes.push(this.current);
      this.current = null;
      this.paint();
    });
  }

  // Each segment needs a stroke before the strokes count.
  async paint() {
    const used = new Set(this.strokes.map((s) => s.segment));
    this.draw();
    this.render();
    if (this.strokes.length && used.size < 2) { say("Paint a stroke of another segment, too."); return; }
    await this.fit(`/works/${this.work.id}/strokes`, { strokes: this.strokes, segments: Math.max(2, this.strokes.length ? used.size : this.segments) });
  }

  async fit(path, body) {
    try { await this.run(await api.post(path, body)); } catch (error) { say(error.message, "error"); }
  }

  async run(job) {
    this.busy = true;
    say("");
    const show = (state) => { this.progress.hidden = false; fill(this.progress, h("div", { class: "text" }, `segmenting · ${state.seconds.toFixed(1)} s`, h("progress", { "aria-label": "Progress of the segmentation" })), button("Cancel", () => api.remove(`/jobs/${job.id}`))); };
    show(job);
    try {
      await api.follow(job, show);
      this.work = await api.get(`/works/${job.work}`);
      history.replaceState(null, "", `#work=${job.work}`);
    } catch (error) { say(error.message, error.cancelled ? "" : "error"); } finally {
      this.busy = false;
      this.progress.hidden = true;
      if (!this.closed) await this.refresh();
    }
  }

  async move(way) {
    try { this.work = await api.post(`/works/${this.work.id}/${way}`); await this.refresh(); } catch (error) { say(error.message, "error"); }
  }

  render() {
    if (this.closed) return;
    const { work } = this;
    const count = Math.min(8, Math.max(2, ...this.strokes.map((s) => s.segment)) + 1);
    const brush = (k) => button(h("span", { class: "dot", style: { background: PALETTE[k - 1] } }), () => { this.segment = k; this.render(); }, { class: this.segment === k ? "on" : "", "aria-pressed": String(this.segment === k), "aria-label": k === 1 ? "Paint segment 1, the foreground" : `Paint segment ${k}` });
    fill(this.bar, h("span", { class: "quiet" }, "Paint"), Array.from({ length: count }, (_, i) => brush(i + 1)),
      h("label", { class: "row tight" }, h("span", { class: "small" }, "width"), h("input", { type: "range", min: 2, max: Math.round(this.data.width / 12), value: this.width, "aria-label": "Width of the brush", oninput: (e) => { this.width = Number(e.target.value); } })),
      h("label", { class: "row tight" }, h("span", { class: "small" }, "segments"), h("input", { type: "range", min: 0, max: 1, step: 0.05, value: this.opacity, "aria-label": "Opacity of the segments", oninput: (e) => { this.opacity = Number(e.target.value); this.draw(); } })),
      h("span", { class: "grow" }), button("↶ Undo", () => this.move("undo"), { disabled: !work || work.position < 1 || this.busy, "aria-label": "Undo" }), button("↷ Redo", () => this.move("redo"), { disabled: !work || work.position >= work.steps.length - 1 || this.busy, "aria-label": "Redo" }));
    const step = work && work.step;
    const total = step ? step.sizes.reduce((a, b) => a + b, 0) : 1;
    const link = (name, text) => h("p", {}, h("a", { class: "button", href: `/api/works/${work.id}/image/${name}`, download: `${name}.png` }, "↓ ", `${name}.png`), " ", h("small", {}, text));
    fill(this.panel, h("h2", { class: "unseen" }, "Segments"), h("p", { class: "quiet" }, "Paint a stroke on the foreground and one on the background. Correct the segments with further strokes."),
      step ? [h("h3", {}, "Segments"), h("table", {}, h("tbody", {}, step.sizes.map((size, i) => h("tr", {}, h("td", {}, h("span", { class: "dot", style: { background: step.colors[i] } }), ` segment ${i + 1}`), h("td", { class: "n" }, `${number(size)} pixels`), h("td", { class: "n" }, `${Math.round(100 * size / total)} %`))))),
        step.strokes.length ? null : h("p", {}, select("Number of segments", [2, 3, 4, 5, 6].map((k) => [k, `${k} segments`]), step.segments, (k) => { this.segments = Number(k); this.strokes = []; this.paint(); })),
        h("h3", {}, "Export"), link("foreground", "the foreground, cut out"), link("mask", "white on black"), link("segments", "all segments")] : null);
  }
}

function load(path) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new api.ApiError("The picture cannot be shown."));
    image.src = path;
  });
}
