// The panel of what can be taken away: labels, model, report, corrections, code.

import * as api from "./api.js";
import { button, fill, h, say } from "./dom.js";
import { guard } from "./guard.js";
import { download } from "./parts.js";

export function takePanel(page) {
  const file = (name, text) => download(`/api/works/${page.work.id}/download/${name}`, name, text);
  const labels = file("labels.csv", "the cluster of each row");
  if (page.work.kind !== "table") return [labels];
  const code = h("div", {});
  guard(() => showCode(page.work, code));
  const input = h("input", {
    type: "file",
    accept: ".json",
    hidden: true,
    id: "corrections",
    onchange: () => replay(page, input.files[0]),
  });
  return [
    labels,
    file("model.npz", "for maxmargin predict"),
    file("report.html", "a page to send"),
    file("corrections.json", "to do it again"),
    h(
      "p",
      {},
      button("Load corrections", () => input.click(), { disabled: page.busy }),
      input,
    ),
    code,
    h(
      "p",
      { class: "small" },
      "The work is kept on this machine and offered again on the first page.",
    ),
  ];
}

async function showCode(work, place) {
  const { python, command } = await api.get(`/works/${work.id}/code`);
  fill(
    place,
    block("Python code for the same result", python),
    block("Command for the same result", command),
  );
}

function block(title, text) {
  const copy = () => navigator.clipboard.writeText(text).then(() => say("Copied."));
  const label = { class: "quiet", "aria-label": `Copy: ${title}` };
  return [
    h("h3", {}, title, " ", button("copy", copy, label)),
    h("pre", { tabindex: "0", "aria-label": title }, text),
  ];
}

async function replay(page, file) {
  if (!file) return;
  let content;
  try {
    content = JSON.parse(await file.text());
  } catch {
    say(`${file.name} is not a file of corrections.`, "error");
    return;
  }
  await page.fit(`/datasets/${page.data.id}/replay`, content);
}
