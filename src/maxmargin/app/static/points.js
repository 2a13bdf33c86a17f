// Draws many points: with WebGL, or on a plain canvas without a graphics card.

const VERTEX = `
attribute vec2 position; attribute vec4 color; attribute float size;
uniform vec2 scale; uniform vec2 shift; uniform float unit;
varying vec4 paint; varying float radius;
void main() {
  gl_Position = vec4(position * scale + shift, 0.0, 1.0);
  radius = size * unit; gl_PointSize = radius; paint = color;
}`;
const FRAGMENT = `
precision mediump float; varying vec4 paint; varying float radius;
void main() {
  if (radius > 3.0) {
    float d = length(gl_PointCoord - 0.5);
    if (d > 0.5) discard;
    float edge = smoothstep(0.5, 0.5 - 1.2 / radius, d);
    gl_FragColor = vec4(paint.rgb, paint.a * edge);
  } else gl_FragColor = paint;
}`;

const LARGEST = 63; // pixels across a point on a plain canvas

// A random order, always the same: its beginning is a fair part of the points.
export function shuffled(n) {
  const order = new Uint32Array(n);
  let state = 12345;
  for (let i = 0; i < n; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor((state / 4294967296) * (i + 1));
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}

function makeProgram(gl) {
  const program = gl.createProgram();
  const texts = [
    [gl.VERTEX_SHADER, VERTEX],
    [gl.FRAGMENT_SHADER, FRAGMENT],
  ];
  for (const [kind, text] of texts) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("WebGL failed");
  return program;
}

export class GlPoints {
  canvas;
  gl; // the WebGL context
  buffers = {}; // by the name of the attribute
  uniforms; // places of the values that hold for all points
  order; // buffer with the order of drawing
  count = 0; // points

  constructor(canvas) {
    const gl = canvas.getContext("webgl", {
      antialias: false,
      alpha: true,
      premultipliedAlpha: false,
      powerPreference: "high-performance",
    });
    if (!gl) throw new Error("no WebGL");
    this.canvas = canvas;
    this.gl = gl;
    const program = makeProgram(gl);
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.addBuffer(program, "position", 2, gl.FLOAT, false);
    this.addBuffer(program, "color", 4, gl.UNSIGNED_BYTE, true);
    this.addBuffer(program, "size", 1, gl.FLOAT, false);
    const place = (name) => [name, gl.getUniformLocation(program, name)];
    this.uniforms = Object.fromEntries(["scale", "shift", "unit"].map(place));
    if (!gl.getExtension("OES_element_index_uint")) throw new Error("no long indices");
    this.order = gl.createBuffer();
  }

  addBuffer(program, name, size, type, normal) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    const place = gl.getAttribLocation(program, name);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, type, normal, 0, 0);
    this.buffers[name] = buffer;
  }

  set(name, values) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    if (name !== "position" || this.count === values.length / 2) return;
    this.count = values.length / 2;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.order);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, shuffled(this.count), gl.STATIC_DRAW);
  }

  // Draw at most so many points.
  draw(view, ratio, limit = Infinity) {
    const { gl, canvas } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const w = canvas.width / ratio,
      hh = canvas.height / ratio;
    gl.uniform2f(this.uniforms.scale, (2 * view.zoom) / w, (-2 * view.zoom) / hh);
    gl.uniform2f(this.uniforms.shift, (2 * view.x) / w - 1, 1 - (2 * view.y) / hh);
    gl.uniform1f(this.uniforms.unit, ratio);
    if (this.count) gl.drawElements(gl.POINTS, Math.min(this.count, limit), gl.UNSIGNED_INT, 0);
  }

  // Wait until the points are drawn: a pixel can be read only then.
  finish() {
    const { gl } = this;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
}

// The pixels that a disc leaves out at both ends of each row.
export function insets(size) {
  const rows = new Uint8Array(size),
    radius = size / 2;
  if (size <= 3) return rows;
  for (let y = 0; y < size; y += 1)
    rows[y] = Math.round(radius - Math.sqrt(radius ** 2 - (y + 0.5 - radius) ** 2));
  return rows;
}

// Faster than WebGL without a graphics card. The values are kept in the order of
// drawing, a colour as one number; the most opaque point of a pixel is seen.
export class CanvasPoints {
  canvas;
  context;
  order = new Uint32Array();
  position = new Float32Array();
  color = new Uint32Array();
  size = new Float32Array();
  discs = Array.from({ length: LARGEST + 1 }, (_, size) => insets(size));
  image = null; // what is put on the canvas
  pixels = null; // the same as numbers

  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  set(name, values) {
    const width = name === "position" ? 2 : 1;
    const flat =
      name === "color"
        ? new Uint32Array(values.buffer, values.byteOffset, values.length / 4)
        : values;
    const n = flat.length / width;
    if (this.order.length !== n) this.order = shuffled(n);
    const kept = new flat.constructor(flat.length);
    for (let e = 0; e < n; e += 1) {
      for (let a = 0; a < width; a += 1) kept[width * e + a] = flat[width * this.order[e] + a];
    }
    this[name] = kept;
  }

  draw(view, ratio, limit = Infinity) {
    const { position, color, size } = this;
    this.clear();
    const n = Math.min(size.length, color.length, limit);
    const [zoom, x, y] = [view.zoom * ratio, view.x * ratio, view.y * ratio];
    for (let e = 0; e < n; e += 1) {
      if (!size[e]) continue;
      const s = Math.min(LARGEST, Math.max(1, Math.round(size[e] * ratio)));
      const half = (s - 1) / 2;
      const left = Math.floor(position[2 * e] * zoom + x - half);
      const top = Math.floor(position[2 * e + 1] * zoom + y - half);
      this.drawDisc(left, top, s, color[e]);
    }
    this.context.putImageData(this.image, 0, 0);
  }

  clear() {
    const { width, height } = this.canvas;
    if (!this.image || this.image.width !== width || this.image.height !== height) {
      this.image = this.context.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(0);
  }

  drawDisc(left, top, size, paint) {
    const { pixels } = this;
    const { width, height } = this.image;
    if (left + size < 0 || top + size < 0 || left >= width || top >= height) return;
    const alpha = paint >>> 24;
    const disc = this.discs[size];
    const last = Math.min(size, height - top);
    for (let row = Math.max(0, -top); row < last; row += 1) {
      const start = (top + row) * width;
      const end = start + Math.min(width, left + size - disc[row]);
      for (let p = start + Math.max(0, left + disc[row]); p < end; p += 1) {
        if (pixels[p] >>> 24 < alpha) pixels[p] = paint;
      }
    }
  }

  finish() {
    /* draw has done all */
  }
}

// Without a graphics card, browsers draw WebGL in software.
function hasGraphicsCard() {
  const gl = document
    .createElement("canvas")
    .getContext("webgl", { failIfMajorPerformanceCaveat: true });
  if (!gl) return false;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return !/swiftshader|llvmpipe|software|basic render/i.test(name);
}

// kind: "webgl", "canvas", or null for the faster one
export function makePoints(canvas, kind) {
  if (kind === "webgl" || (kind !== "canvas" && hasGraphicsCard())) {
    try {
      return new GlPoints(canvas);
    } catch {
      /* the plain canvas follows */
    }
  }
  return new CanvasPoints(canvas);
}
