// The map of the rows: pan, zoom, hover, lasso, keyboard.

import { h } from "./dom.js";
import { makePoints } from "./points.js";

const GRID = 96;
const DRAWING = 16; // milliseconds for the points of a frame while the map moves
const LEAST = 15000; // points that are always drawn
const REST = 160; // milliseconds after which all points are drawn again

export class MapView {
  constructor({ label, onhover, onselect, onpick }) {
    this.onhover = onhover || (() => {});
    this.onselect = onselect || (() => {});
    this.onpick = onpick || (() => {});
    this.canvas = h("canvas", { class: "points", "aria-hidden": "true" });
    this.over = h("canvas", { class: "over", role: "img", tabindex: "0", "aria-label": label });
    this.tip = h("div", { class: "tip", hidden: true });
    this.element = h("div", { class: "map" }, this.canvas, this.over, this.tip);
    this.points = makePoints(this.canvas, new URLSearchParams(location.search).get("points"));
    this.view = { zoom: 1, x: 0, y: 0 };
    this.tool = "pan";
    this.xy = new Float32Array();
    this.names = [];
    this.frames = 0;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
    this.listen();
  }

  close() { clearTimeout(this.resting); this.observer.disconnect(); this.element.remove(); }

  setPositions(xy) {
    this.xy = xy;
    this.points.set("position", xy);
    this.grid = null;
    this.redraw();
  }

  // shown: for each row 0 (hidden), 1 (a row), 2 (selected) or 3 (marked)
  setLook(colors, shown) {
    const n = this.xy.length / 2;
    const base = n > 100000 ? 2.2 : n > 20000 ? 3 : n > 4000 ? 4.5 : n > 600 ? 6.5 : 8.5;
    const sizes = new Float32Array(n);
    for (let i = 0; i < n; i += 1) sizes[i] = shown[i] === 0 ? 0 : shown[i] === 1 ? base : base + 3;
    for (let i = 0; i < n; i += 1) if (!shown[i]) colors[4 * i + 3] = 0;
    this.shown = shown;
    this.points.set("color", colors);
    this.points.set("size", sizes);
    this.redraw();
  }

  setNames(names) { this.names = names; this.redraw(); }

  reset() {
    const { clientWidth: w, clientHeight: hh } = this.element;
    const n = this.xy.length / 2;
    let low = [1, 1], high = [-1, -1];
    for (let i = 0; i < n; i += 1) for (const a of [0, 1]) {
      low[a] = Math.min(low[a], this.xy[2 * i + a]);
      high[a] = Math.max(high[a], this.xy[2 * i + a]);
    }
    if (!n) { low = [-1, -1]; high = [1, 1]; }
    const span = [Math.max(high[0] - low[0], 0.01), Math.max(high[1] - low[1], 0.01)];
    const zoom = Math.min((w - 48) / span[0], (hh - 48) / span[1]);
    this.view = { zoom, x: w / 2 - zoom * (low[0] + high[0]) / 2, y: hh / 2 - zoom * (low[1] + high[1]) / 2 };
    this.home = zoom;
    this.redraw();
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const { clientWidth: w, clientHeight: hh } = this.element;
    if (!w || !hh) return;
    for (const canvas of [this.canvas, this.over]) { canvas.width = Math.round(w * ratio); canvas.height = Math.round(hh * ratio); }
    this.ratio = ratio;
    if (this.lastWidth !== w || !this.home) { this.lastWidth = w; this.reset(); }
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  // All points at rest; while the map moves, as many as a frame has time for.
  drawPoints() {
    const n = this.xy.length / 2;
    if (!this.moving || n <= LEAST) { this.points.draw(this.view, this.ratio); return; }
    this.limit ??= LEAST;
    const begin = performance.now();
    this.points.draw(this.view, this.ratio, Math.round(this.limit));
    this.points.finish();
    const share = DRAWING / Math.max(performance.now() - begin, 1);
    this.limit = Math.max(LEAST, Math.min(n, this.limit * Math.min(1.3, Math.max(0.4, share))));
  }

  move() {
    this.moving = true;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => { this.moving = false; this.redraw(); }, REST);
    this.redraw();
  }

  draw() {
    if (!this.ratio) return;
    this.drawPoints();
    this.frames += 1;
    const context = this.over.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.over.width, this.over.height);
    const style = getComputedStyle(document.documentElement);
    context.font = "600 12px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const { x, y, text, color } of this.names) {
      const [px, py] = this.toScreen(x, y);
      const width = context.measureText(text).width + 14;
      context.fillStyle = style.getPropertyValue("--card");
      context.strokeStyle = color;
      context.lineWidth = 2;
      context.beginPath();
      context.roundRect(px - width / 2, py - 10, width, 20, 10);
      context.fill();
      context.stroke();
      context.fillStyle = style.getPropertyValue("--text");
      context.fillText(text, px, py + 0.5);
    }
    if (this.path) { this.line(context, this.path, style.getPropertyValue("--text"), 1.5, false); }
    if (this.lasso && this.lasso.length > 1) this.line(context, this.lasso, style.getPropertyValue("--accent"), 2, true);
    if (this.cursor) {
      context.strokeStyle = style.getPropertyValue("--text");
      context.lineWidth = 2;
      context.beginPath();
      context.arc(...this.toScreen(this.xy[2 * this.cursor.row], this.xy[2 * this.cursor.row + 1]), 8, 0, 7);
      context.stroke();
    }
  }

  line(context, points, color, width, close) {
    context.strokeStyle = color;
    context.lineWidth = width;
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    if (close) { context.closePath(); context.globalAlpha = 0.12; context.fillStyle = color; context.fill(); context.globalAlpha = 1; }
    context.stroke();
  }

  toScreen(x, y) { return [x * this.view.zoom + this.view.x, y * this.view.zoom + this.view.y]; }

  zoomAt(x, y, factor) {
    const zoom = Math.min(Math.max(this.view.zoom * factor, this.home / 4), this.home * 400);
    const share = zoom / this.view.zoom;
    this.view = { zoom, x: x - (x - this.view.x) * share, y: y - (y - this.view.y) * share };
    this.move();
  }

  listen() {
    const { over } = this;
    const pointers = new Map();
    let moved = 0;
    over.addEventListener("wheel", (e) => {
      e.preventDefault();
      this.zoomAt(e.offsetX, e.offsetY, Math.exp(-e.deltaY * 0.0015));
    }, { passive: false });
    over.addEventListener("pointerdown", (e) => {
      over.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, [e.offsetX, e.offsetY]);
      moved = 0;
      if ((this.tool === "lasso" || e.shiftKey) && pointers.size === 1) this.lasso = [[e.offsetX, e.offsetY]];
    });
    over.addEventListener("pointermove", (e) => {
      const last = pointers.get(e.pointerId);
      if (!last) { this.hover(e.offsetX, e.offsetY); return; }
      const now = [e.offsetX, e.offsetY];
      moved += Math.abs(now[0] - last[0]) + Math.abs(now[1] - last[1]);
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
        const before = Math.hypot(last[0] - other[0], last[1] - other[1]);
        const after = Math.hypot(now[0] - other[0], now[1] - other[1]);
        if (before > 0) this.zoomAt((now[0] + other[0]) / 2, (now[1] + other[1]) / 2, after / before);
        this.lasso = null;
      } else if (this.lasso) this.lasso.push(now);
      else { this.view.x += now[0] - last[0]; this.view.y += now[1] - last[1]; }
      pointers.set(e.pointerId, now);
      this.move();
    });
    const up = (e) => {
      pointers.delete(e.pointerId);
      if (this.lasso && this.lasso.length > 2 && moved > 8) this.onselect(this.inside(this.lasso), e.ctrlKey || e.metaKey);
      else if (moved < 5 && e.type === "pointerup") {
        const row = this.nearest(e.offsetX, e.offsetY);
        this.onpick(row, e.ctrlKey || e.metaKey || e.shiftKey);
      }
      this.lasso = null;
      this.redraw();
    };
    over.addEventListener("pointerup", up);
    over.addEventListener("pointercancel", up);
    over.addEventListener("pointerleave", () => this.hover(-1e9, -1e9));
    over.addEventListener("keydown", (e) => this.key(e));
  }

  key(e) {
    const step = 40;
    const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    const { clientWidth: w, clientHeight: hh } = this.element;
    if (moves[e.key]) { this.view.x += moves[e.key][0]; this.view.y += moves[e.key][1]; }
    else if (e.key === "+" || e.key === "=") this.zoomAt(w / 2, hh / 2, 1.3);
    else if (e.key === "-") this.zoomAt(w / 2, hh / 2, 1 / 1.3);
    else if (e.key === "0") this.reset();
    else return;
    e.preventDefault();
    this.move();
  }

  hover(x, y) {
    const row = this.nearest(x, y);
    if (row === (this.cursor ? this.cursor.row : null)) return;
    this.cursor = row === null ? null : { row };
    this.tip.hidden = true;
    this.onhover(row, (content) => {
      if (!this.cursor || this.cursor.row !== row) return;
      this.tip.replaceChildren(content);
      this.tip.hidden = false;
      const [px, py] = this.toScreen(this.xy[2 * row], this.xy[2 * row + 1]);
      const { clientWidth: w, clientHeight: hh } = this.element;
      const tw = this.tip.offsetWidth, th = this.tip.offsetHeight;
      this.tip.style.left = `${Math.max(4, px + 14 + tw > w ? px - tw - 14 : px + 14)}px`;
      this.tip.style.top = `${Math.max(4, Math.min(py - 10, hh - th - 6))}px`;
    });
    this.redraw();
  }

  // The points by cells of a grid, for quick look-ups.
  index() {
    const n = this.xy.length / 2;
    const starts = new Int32Array(GRID * GRID + 1);
    const cell = (i) => {
      const x = Math.min(GRID - 1, Math.max(0, ((this.xy[2 * i] + 1) * GRID / 2) | 0));
      const y = Math.min(GRID - 1, Math.max(0, ((this.xy[2 * i + 1] + 1) * GRID / 2) | 0));
      return y * GRID + x;
    };
    for (let i = 0; i < n; i += 1) starts[cell(i) + 1] += 1;
    for (let c = 0; c < GRID * GRID; c += 1) starts[c + 1] += starts[c];
    const rows = new Int32Array(n), next = starts.slice();
    for (let i = 0; i < n; i += 1) rows[next[cell(i)]++] = i;
    this.grid = { starts, rows };
  }

  nearest(px, py, reach = 12) {
    if (!this.xy.length || !this.view.zoom) return null;
    if (!this.grid) this.index();
    const x = (px - this.view.x) / this.view.zoom, y = (py - this.view.y) / this.view.zoom, r = reach / this.view.zoom;
    const clamp = (v) => Math.min(GRID - 1, Math.max(0, ((v + 1) * GRID / 2) | 0));
    let best = null, least = r * r;
    for (let cy = clamp(y - r); cy <= clamp(y + r); cy += 1) for (let cx = clamp(x - r); cx <= clamp(x + r); cx += 1) {
      const c = cy * GRID + cx;
      for (let e = this.grid.starts[c]; e < this.grid.starts[c + 1]; e += 1) {
        const i = this.grid.rows[e];
        if (this.shown && !this.shown[i]) continue;
        const d = (this.xy[2 * i] - x) ** 2 + (this.xy[2 * i + 1] - y) ** 2;
        if (d < least) { least = d; best = i; }
      }
    }
    return best;
  }

  inside(polygon) {
    const found = [];
    const xs = polygon.map((p) => p[0]), ys = polygon.map((p) => p[1]);
    const box = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    for (let i = 0; i < this.xy.length / 2; i += 1) {
      if (this.shown && !this.shown[i]) continue;
      const [x, y] = this.toScreen(this.xy[2 * i], this.xy[2 * i + 1]);
      if (x < box[0] || x > box[1] || y < box[2] || y > box[3]) continue;
      let odd = false;
      for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a, a += 1) {
        const [xa, ya] = polygon[a], [xb, yb] = polygon[b];
        if ((ya > y) !== (yb > y) && x < ((xb - xa) * (y - ya)) / (yb - ya) + xa) odd = !odd;
      }
      if (odd) found.push(i);
    }
    return found;
  }
}
