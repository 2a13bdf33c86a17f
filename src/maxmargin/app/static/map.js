// The map of the rows: pan, zoom, hover, lasso, keyboard.

import { h } from "./dom.js";
import { shortened } from "./format.js";
import {
  indexPoints,
  inside,
  namesApart,
  nearestPoint,
  nextLimit,
  notePlace,
  pinch,
  pointsInside,
  pointSize,
  toScreen,
  viewOfAll,
  zoomed,
} from "./geometry.js";
import { makePoints } from "./points.js";

const DRAWING = 16; // milliseconds for the points of a frame while the map moves
const LEAST = 15000; // points that are always drawn
const MANY = 24; // names that have frames
const NAME_LENGTH = 24; // letters of a name on the map
const NAME_HEIGHT = 12; // of a name without a frame, in pixels
const REST = 160; // milliseconds after which all points are drawn again
const ARROWS = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };

export class MapView {
  // What is shown.
  xy = new Float32Array(); // positions of the rows, x and y in turn
  shown = null; // how each row is drawn, see rows.js; null before the first look
  names = []; // of the clusters, with places and colours
  grid = null; // the rows by their places, made when one is looked up
  cursor = null; // the row under the pointer
  lasso = null; // pixels of the lasso that is being drawn
  tool = "pan"; // what a drag does: "pan" or "lasso"

  // The view of it, and how it is drawn.
  view = { zoom: 1, x: 0, y: 0 };
  home = 0; // the zoom that shows all rows
  width = 0; // for which the view was made
  height = 0;
  ratio = 0; // pixels of the screen for one of the page; 0 before the first resize
  waiting = false; // a frame is asked for
  moving = false; // a part of the points will do
  resting = 0; // the timer that ends the movement
  limit = LEAST; // points to draw in a frame while the map moves
  frames = 0; // drawn so far

  // What is called: with a row and a function to show a note; with rows; with a row.
  onhover;
  onselect;
  onpick;

  // Elements.
  canvas = h("canvas", { class: "points", "aria-hidden": "true" });
  over; // the canvas for names and lasso, which takes the events
  tip = h("div", { class: "tip", hidden: true });
  element;
  points; // draws on the canvas
  observer = new ResizeObserver(() => this.resize());

  constructor({ label, onhover = () => {}, onselect = () => {}, onpick = () => {} }) {
    Object.assign(this, { onhover, onselect, onpick });
    this.over = h("canvas", { class: "over", role: "img", tabindex: "0", "aria-label": label });
    this.element = h("div", { class: "map" }, this.canvas, this.over, this.tip);
    this.points = makePoints(this.canvas, new URLSearchParams(location.search).get("points"));
    Object.seal(this); // all fields stand above
    this.observer.observe(this.element);
    this.listen();
  }

  close() {
    clearTimeout(this.resting);
    this.observer.disconnect();
    this.element.remove();
  }

  setPositions(xy) {
    this.xy = xy;
    this.points.set("position", xy);
    this.grid = null;
    this.redraw();
  }

  // The look of the rows; shown as in rows.js
  setLook(colors, shown) {
    const n = this.xy.length / 2;
    const base = pointSize(n);
    const sizes = new Float32Array(n);
    for (let i = 0; i < n; i += 1) {
      if (shown[i]) sizes[i] = shown[i] === 1 ? base : base + 3;
      else colors[4 * i + 3] = 0;
    }
    this.shown = shown;
    this.points.set("color", colors);
    this.points.set("size", sizes);
    this.redraw();
  }

  setNames(names) {
    this.names = names;
    this.redraw();
  }

  reset() {
    this.view = viewOfAll(this.xy, this.element.clientWidth, this.element.clientHeight);
    this.home = this.view.zoom;
    this.redraw();
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const { clientWidth, clientHeight } = this.element;
    if (!clientWidth || !clientHeight) return;
    for (const canvas of [this.canvas, this.over]) {
      canvas.width = Math.round(clientWidth * ratio);
      canvas.height = Math.round(clientHeight * ratio);
    }
    this.ratio = ratio;
    const other = this.width !== clientWidth || isOther(this.height, clientHeight);
    if (other || !this.home) {
      this.width = clientWidth;
      this.height = clientHeight;
      this.reset();
    }
    this.redraw();
  }

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  // The map moves: until it rests, a part of the points is drawn.
  move() {
    this.moving = true;
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      this.moving = false;
      this.redraw();
    }, REST);
    this.redraw();
  }

  draw() {
    if (!this.ratio) return;
    this.drawPoints();
    this.frames += 1;
    const context = this.over.getContext("2d");
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.over.width, this.over.height);
    const style = getComputedStyle(this.element);
    const color = (name) => style.getPropertyValue(name);
    this.drawNames(context, color("--card"), color("--text"));
    if (this.lasso && this.lasso.length > 1) drawLasso(context, this.lasso, color("--accent"));
    if (this.cursor !== null) this.drawCursor(context, color("--text"));
  }

  // All points at rest; while the map moves, as many as a frame has time for.
  drawPoints() {
    const n = this.xy.length / 2;
    if (!this.moving || n <= LEAST) {
      this.points.draw(this.view, this.ratio);
      return;
    }
    const begin = performance.now();
    this.points.draw(this.view, this.ratio, Math.round(this.limit));
    this.points.finish();
    this.limit = nextLimit(this.limit, performance.now() - begin, DRAWING, LEAST, n);
  }

  drawNames(context, background, foreground) {
    const many = this.names.length > MANY;
    context.font = `600 ${many ? 11 : 12}px system-ui, sans-serif`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    const places = this.names.map(({ x, y, text: name, color }) => {
      const text = shortened(name, NAME_LENGTH);
      const [px, py] = toScreen(this.view, x, y);
      const { width } = context.measureText(text);
      return { x: inside(px, width + 18, this.width), y: many ? py - 11 : py, width, text, color };
    });
    // Of many names those are left out that would cover others, until there is room.
    const apart = many ? namesApart(places, NAME_HEIGHT) : null;
    places.forEach((place, i) => {
      if (apart && !apart[i]) return;
      const { x, y, text, color } = place;
      if (many) drawEdge(context, text, [x, y], background);
      else drawPill(context, text, [x, y], background, color);
      context.fillStyle = foreground;
      context.fillText(text, x, many ? y : y + 0.5);
    });
  }

  drawCursor(context, color) {
    context.strokeStyle = color;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(...this.placeOf(this.cursor), 8, 0, 7);
    context.stroke();
  }

  placeOf(row) {
    return toScreen(this.view, this.xy[2 * row], this.xy[2 * row + 1]);
  }

  zoomAt(x, y, factor) {
    this.view = zoomed(this.view, x, y, factor, this.home);
    this.move();
  }

  shift([x, y]) {
    this.view.x += x;
    this.view.y += y;
  }

  listen() {
    const { over } = this;
    const wheel = (e) => {
      e.preventDefault();
      this.zoomAt(e.offsetX, e.offsetY, Math.exp(-e.deltaY * 0.0015));
    };
    over.addEventListener("wheel", wheel, { passive: false });
    over.addEventListener("keydown", (e) => this.key(e));
    over.addEventListener("pointerleave", () => this.hover(-1e9, -1e9));
    const pointers = new Map(); // the last pixel of each pointer that is down
    let moved = 0; // pixels since the first one came down
    over.addEventListener("pointerdown", (e) => {
      over.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, [e.offsetX, e.offsetY]);
      moved = 0;
      const lasso = this.tool === "lasso" || e.shiftKey;
      if (lasso && pointers.size === 1) this.lasso = [[e.offsetX, e.offsetY]];
    });
    over.addEventListener("pointermove", (e) => {
      if (pointers.has(e.pointerId)) moved += this.drag(pointers, e);
      else this.hover(e.offsetX, e.offsetY);
    });
    const up = (e) => {
      pointers.delete(e.pointerId);
      this.release(e, moved);
    };
    over.addEventListener("pointerup", up);
    over.addEventListener("pointercancel", up);
  }

  // A pointer that is down has moved; returns how far.
  drag(pointers, e) {
    const last = pointers.get(e.pointerId);
    const now = [e.offsetX, e.offsetY];
    const way = [now[0] - last[0], now[1] - last[1]];
    if (pointers.size === 2) {
      const [[, other]] = [...pointers].filter(([id]) => id !== e.pointerId);
      const change = pinch(last, now, other);
      if (change) this.zoomAt(change.x, change.y, change.factor);
      this.lasso = null;
    } else if (this.lasso) this.lasso.push(now);
    else this.shift(way);
    pointers.set(e.pointerId, now);
    this.move();
    return Math.abs(way[0]) + Math.abs(way[1]);
  }

  // The end of a lasso selects rows, a click picks one.
  release(e, moved) {
    const add = e.ctrlKey || e.metaKey;
    if (this.lasso && this.lasso.length > 2 && moved > 8) {
      this.onselect(pointsInside(this.xy, this.view, this.lasso, this.shown), add);
    } else if (moved < 5 && e.type === "pointerup") {
      this.onpick(this.nearest(e.offsetX, e.offsetY), add || e.shiftKey);
    }
    this.lasso = null;
    this.redraw();
  }

  key(e) {
    const [x, y] = [this.element.clientWidth / 2, this.element.clientHeight / 2];
    if (ARROWS[e.key]) this.shift(ARROWS[e.key]);
    else if (e.key === "+" || e.key === "=") this.zoomAt(x, y, 1.3);
    else if (e.key === "-") this.zoomAt(x, y, 1 / 1.3);
    else if (e.key === "0") this.reset();
    else return;
    e.preventDefault();
    this.move();
  }

  hover(x, y) {
    const row = this.nearest(x, y);
    if (row === this.cursor) return;
    this.cursor = row;
    this.tip.hidden = true;
    this.onhover(row, (content) => {
      if (row !== null && this.cursor === row) this.showTip(row, content);
    });
    this.redraw();
  }

  showTip(row, content) {
    this.tip.replaceChildren(content);
    this.tip.hidden = false;
    const note = { width: this.tip.offsetWidth, height: this.tip.offsetHeight };
    const area = { width: this.element.clientWidth, height: this.element.clientHeight };
    const { left, top } = notePlace(this.placeOf(row), note, area);
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${top}px`;
  }

  // The row under a pixel, or null.
  nearest(x, y) {
    if (!this.xy.length || !this.view.zoom) return null;
    this.grid ||= indexPoints(this.xy);
    return nearestPoint(this.xy, this.grid, this.view, [x, y], this.shown);
  }
}

// A height for which the view is made anew: a second map came or went, not only a line of
// the toolbar.
const isOther = (before, now) => Math.abs(now - before) > before / 5;

// A frame for a name, in the colour of its cluster.
function drawPill(context, text, [x, y], background, color) {
  const width = context.measureText(text).width + 14;
  context.fillStyle = background;
  context.strokeStyle = color;
  context.lineWidth = 2;
  context.beginPath();
  context.roundRect(x - width / 2, y - 10, width, 20, 10);
  context.fill();
  context.stroke();
}

// Among many names, a light edge: frames would hide the rows.
function drawEdge(context, text, [x, y], background) {
  context.strokeStyle = background;
  context.lineWidth = 3;
  context.lineJoin = "round";
  context.strokeText(text, x, y);
}

function drawLasso(context, points, color) {
  context.strokeStyle = color;
  context.lineWidth = 2;
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.closePath();
  context.globalAlpha = 0.12;
  context.fillStyle = color;
  context.fill();
  context.globalAlpha = 1;
  context.stroke();
}
