// Elements are made from text, never from HTML: a name or cell with tags shows as text.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = ["value", "checked", "disabled", "selected"];

// An element. Attributes that are null, undefined or false are left out; `svg: true` makes
// an element of a picture.
export function h(name, attributes = {}, ...children) {
  const element = attributes.svg
    ? document.createElementNS(SVG, name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false || key === "svg") continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") setStyle(element, value);
    else if (PROPERTIES.includes(key)) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

// The policy of the page forbids the attribute style, but not this.
function setStyle(element, style) {
  for (const [key, value] of Object.entries(style)) element.style.setProperty(key, value);
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
  return h(
    "select",
    { "aria-label": label, onchange: (e) => onchange(e.target.value), ...more },
    options.map(([key, text]) =>
      h("option", { value: key, selected: String(key) === String(value) }, text),
    ),
  );
}

export function field(label, control, hint) {
  const small = hint ? h("small", {}, hint) : null;
  return h("label", { class: "field" }, h("span", {}, label), control, small);
}

// The cells of a table; numbers are aligned on the right.
export const cell = (...children) => h("td", {}, ...children);
export const numberCell = (...children) => h("td", { class: "n" }, ...children);
export const head = (...children) => h("th", {}, ...children);
export const numberHead = (...children) => h("th", { class: "n" }, ...children);
export const line = (...cells) => h("tr", {}, ...cells);

export function table(heads, lines) {
  return h("table", {}, h("thead", {}, line(heads)), h("tbody", {}, lines));
}

// An area that can be scrolled sideways with the keyboard, too.
export function scroll(label, ...children) {
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    ...children,
  );
}

let timer = 0;
export function say(text, kind = "") {
  const toast = document.getElementById("status");
  toast.textContent = text;
  toast.className = `toast ${kind}`;
  toast.hidden = !text;
  clearTimeout(timer);
  const hide = () => {
    toast.hidden = true;
  };
  timer = setTimeout(hide, kind === "error" ? 9000 : 4500);
}
