// The page of the API: what /openapi.json says, to read.

import { h } from "./dom.js";

const code = (text) => h("code", {}, text);
const json = (value) => h("pre", { tabindex: "0" }, JSON.stringify(value, null, 1));
const card = (summary, ...more) =>
  h("details", { class: "card" }, h("summary", {}, ...summary), ...more);

function address(path, method, about) {
  const fields = (about.parameters || []).map((p) =>
    h("li", {}, code(p.name), ` in ${p.in}${p.required ? "" : ", optional"}`),
  );
  const body = about.requestBody && Object.values(about.requestBody.content)[0].schema;
  return card(
    [code(`${method.toUpperCase()} ${path}`), " ", about.description || about.summary || ""],
    fields.length ? h("ul", {}, fields) : null,
    body ? json(body) : null,
  );
}

const api = await (await fetch("/openapi.json")).json();
const main = document.getElementById("main");
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, about] of Object.entries(methods)) main.append(address(path, method, about));
}
main.append(h("h2", {}, "Records"));
for (const [name, schema] of Object.entries(api.components.schemas)) {
  main.append(card([code(name), " ", schema.description || ""], json(schema.properties || schema)));
}
