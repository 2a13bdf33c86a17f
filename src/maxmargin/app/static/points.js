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
    this.count = 0;
  }

  set(name, values) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[name]);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    if (name === "position") this.count = values.length / 2;
  }

  draw(view, ratio) {
    const { gl, canvas } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const w = canvas.width / ratio, hh = canvas.height / ratio;
    gl.uniform2f(this.uniforms.scale, 2 * view.zoom / w, -2 * view.zoom / hh);
    gl.uniform2f(this.uniforms.shift, 2 * view.x / w - 1, 1 - 2 * view.y / hh);
    gl.uniform1f(this.uniforms.unit, ratio);
    if (this.count) gl.drawArrays(gl.POINTS, 0, this.count);
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

  set(name, values) { this[name] = values; }

  draw(view, ratio) {
    const { context, canvas, position, color, size } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < size.length; i += 1) {
      if (!size[i]) continue;
      const s = size[i];
      const x = position[2 * i] * view.zoom + view.x, y = position[2 * i + 1] * view.zoom + view.y;
      if (x < -s || y < -s || x > canvas.width || y > canvas.height) continue;
      context.fillStyle = `rgba(${color[4 * i]},${color[4 * i + 1]},${color[4 * i + 2]},${color[4 * i + 3] / 255})`;
      context.fillRect(x - s / 2, y - s / 2, s, s);
    }
  }
}

export function makePoints(canvas, plain) {
  if (!plain) {
    try { return new GlPoints(canvas); } catch { /* the plain canvas follows */ }
  }
  return new CanvasPoints(canvas);
}
