// Elements are made from text, never from HTML: a name or cell with tags shows as text.

export function h(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "rect", "circle", "g", "text", "line", "title"].includes(name) && attributes.svg;
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false || key === "svg") continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [k, v] of Object.entries(value)) element.style.setProperty(k, v);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "selected") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

export function button(text, onclick, more = {}) {
  return h("button", { type: "button", onclick, ...more }, text);
}

export function select(label, options, value, onchange, more = {}) {
  return h("select", { "aria-label": label, onchange: (e) => onchange(e.target.value), ...more },
    options.map(([key, text]) => h("option", { value: key, selected: String(key) === String(value) }, text)));
}

export function field(label, control, hint) {
  return h("label", { class: "field" }, h("span", {}, label), control, hint ? h("small", {}, hint) : null);
}

let timer = 0;
export function say(text, kind = "") {
  const toast = document.getElementById("status");
  toast.textContent = text;
  toast.className = `toast ${kind}`;
  toast.hidden = !text;
  clearTimeout(timer);
  timer = setTimeout(() => { toast.hidden = true; }, kind === "error" ? 9000 : 4500);
}

export const number = (value) => Number(value).toLocaleString("en");
export const percent = (value) => `${Math.round(100 * value)} %`;
export function short(value) {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}
