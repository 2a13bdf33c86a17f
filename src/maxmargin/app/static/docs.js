import { h } from "./dom.js";

const api = await (await fetch("/openapi.json")).json();
const main = document.getElementById("main");
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, about] of Object.entries(methods)) {
    const fields = (about.parameters || []).map((p) => h("li", {}, h("code", {}, p.name), ` in ${p.in}${p.required ? "" : ", optional"}`));
    const body = about.requestBody && Object.values(about.requestBody.content)[0].schema;
    main.append(h("details", { class: "card" },
      h("summary", {}, h("code", {}, `${method.toUpperCase()} ${path}`), " ", about.description || about.summary || ""),
      fields.length ? h("ul", {}, fields) : null,
      body ? h("pre", { tabindex: "0" }, JSON.stringify(body, null, 1)) : null));
  }
}
main.append(h("h2", {}, "Records"));
for (const [name, schema] of Object.entries(api.components.schemas)) {
  main.append(h("details", { class: "card" }, h("summary", {}, h("code", {}, name), " ", schema.description || ""),
    h("pre", { tabindex: "0" }, JSON.stringify(schema.properties || schema, null, 1))));
}
