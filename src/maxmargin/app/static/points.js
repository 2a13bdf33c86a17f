// Draws many points: with WebGL, or on a plain canvas where there is none.

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

// A random order, always the same: its beginning is a fair part of the points.
function shuffled(n) {
  const order = new Uint32Array(n);
  let state = 12345;
  for (let i = 0; i < n; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor(state / 4294967296 * (i + 1));
    order[i] = order[j];
    order[j] = i;
  }
  return order;
}

export class GlPoints {
  constructor(canvas) {
    const gl = canvas.getContext("webgl", { antialias: false, alpha: true, premultipliedAlpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("no WebGL");
    this.canvas = canvas;
    this.gl = gl;
    const program = this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("WebGL failed");
    gl.useProgram(program);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.buffers = {};
    for (const [name, size, type, normal] of [["position", 2, gl.FLOAT, false], ["color", 4, gl.UNSIGNED_BYTE, true], ["size", 1, gl.FLOAT, false]]) {
      const buffer = gl.createBuffer();
      const place = gl.getAttribLocation(program, name);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, type, normal, 0, 0);
      this.buffers[name] = buffer;
    }
    this.uniforms = Object.fromEntries(["scale", "shift", "unit"].map((n) => [n, gl.getUniformLocation(program, n)]));
    if (!gl.getExtension("OES_element_index_uint")) throw new Error("no long indices");
    this.order = gl.createBuffer();
    this.count = 0;
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
    const w = canvas.width / ratio, hh = canvas.height / ratio;
    gl.uniform2f(this.uniforms.scale, 2 * view.zoom / w, -2 * view.zoom / hh);
    gl.uniform2f(this.uniforms.shift, 2 * view.x / w - 1, 1 - 2 * view.y / hh);
    gl.uniform1f(this.uniforms.unit, ratio);
    if (this.count) gl.drawElements(gl.POINTS, Math.min(this.count, limit), gl.UNSIGNED_INT, 0);
  }
}

export class CanvasPoints {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.position = new Float32Array();
    this.color = new Uint8Array();
    this.size = new Float32Array();
  }

  set(name, values) {
    this[name] = values;
    if (name === "position" && (!this.order || this.order.length !== values.length / 2)) this.order = shuffled(values.length / 2);
  }

  draw(view, ratio, limit = Infinity) {
    const { context, canvas, position, color, size, order } = this;
    const { width, height } = canvas;
    const image = context.createImageData(width, height);
    const pixels = image.data;
    const n = Math.min(size.length, limit);
    for (let e = 0; e < n; e += 1) {
      const i = order[e];
      if (!size[i]) continue;
      const s = Math.max(1, Math.round(size[i] * ratio));
      const x0 = Math.round((position[2 * i] * view.zoom + view.x) * ratio - s / 2);
      const y0 = Math.round((position[2 * i + 1] * view.zoom + view.y) * ratio - s / 2);
      if (x0 + s < 0 || y0 + s < 0 || x0 >= width || y0 >= height) continue;
      const r = color[4 * i], g = color[4 * i + 1], b = color[4 * i + 2], a = color[4 * i + 3];
      for (let y = Math.max(0, y0); y < Math.min(height, y0 + s); y += 1) {
        for (let x = Math.max(0, x0), p = 4 * (y * width + x); x < Math.min(width, x0 + s); x += 1, p += 4) {
          pixels[p] = r; pixels[p + 1] = g; pixels[p + 2] = b; pixels[p + 3] = Math.max(pixels[p + 3], a);
        }
      }
    }
    context.putImageData(image, 0, 0);
  }
}

export function makePoints(canvas, plain) {
  if (!plain) {
    try { return new GlPoints(canvas); } catch { /* the plain canvas follows */ }
  }
  return new CanvasPoints(canvas);
}
