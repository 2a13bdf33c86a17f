// The panels beside the map: clusters, history, what can be taken away.

import * as api from "./api.js";
import { button, h, number, percent, say, short } from "./dom.js";
import { colorOf, nameOf } from "./look.js";
import { guard } from "./table.js";

export function clustersPanel(page) {
  const { step } = page.work;
  page.chosen = new Set([...(page.chosen || [])].filter((id) => step.clusters.some((c) => c.id === id)));
  const total = page.labels.length;
  const cards = step.clusters.map((cluster, at) => {
    const facts = step.profiles.find((p) => p.id === cluster.id) || { size: 0, profile: [], confidence: 0 };
    const stability = step.stability ? step.stability[at] : null;
    const name = nameOf(cluster);
    return h("article", { class: "card cluster" },
      h("div", { class: "head" },
        h("input", { type: "checkbox", "aria-label": `Choose cluster ${name}`, checked: page.chosen.has(cluster.id), onchange: (e) => { if (e.target.checked) page.chosen.add(cluster.id); else page.chosen.delete(cluster.id); page.render(); } }),
        h("input", { type: "color", value: colorOf(cluster), "aria-label": `Colour of cluster ${name}`, disabled: page.busy, onchange: (e) => page.correct({ kind: "rename", cluster: cluster.id, color: e.target.value }) }),
        h("input", { type: "text", class: "name", value: name, "aria-label": `Name of cluster ${name}`, disabled: page.busy, onchange: (e) => page.correct({ kind: "rename", cluster: cluster.id, name: e.target.value.trim() }) }),
        h("span", { class: "quiet" }, number(facts.size))),
      h("div", { class: "meter", "aria-hidden": "true" }, h("i", { style: { width: `${100 * facts.size / total}%`, background: colorOf(cluster) } })),
      h("div", { class: "row tight" }, h("span", { class: "small" }, `${percent(facts.size / total)} of rows · confidence ${percent(facts.confidence)}`, stability !== null ? ` · stability ${stability.toFixed(2)}` : ""), h("span", { class: "grow" }),
        button("Select", () => page.select(rowsOf(page, cluster.id)), { class: "quiet", "aria-label": `Select the rows of cluster ${name}` }),
        button("Split", () => page.correct({ kind: "split", cluster: cluster.id }), { class: "quiet", disabled: page.busy || facts.size < 4, "aria-label": `Split cluster ${name}` })),
      h("details", {}, h("summary", {}, facts.profile.slice(0, 2).map((p) => `${p.name} ${p.difference > 0 ? "high" : "low"}`).join(", ") || "profile"), profile(facts.profile, colorOf(cluster))));
  });
  return [
    h("div", { class: "row" }, h("b", {}, `${step.clusters.length} clusters`), h("span", { class: "quiet" }, `${number(total)} rows · confidence ${percent(step.confidence)}`)),
    h("p", { class: "row tight" },
      button("Merge chosen", () => { const clusters = [...page.chosen]; page.chosen.clear(); page.correct({ kind: "merge", clusters }); }, { disabled: page.busy || page.chosen.size < 2 }),
      button("Stability", () => page.fit(`/works/${page.work.id}/stability`), { disabled: page.busy || Boolean(step.stability), title: "Cluster random halves again: how often is each cluster found?" })),
    cards,
  ];
}

function rowsOf(page, id) {
  const rows = [];
  for (let i = 0; i < page.labels.length; i += 1) if (page.labels[i] === id) rows.push(i);
  return rows;
}

function profile(rows, color) {
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", {}, "column"), h("th", { class: "n" }, "inside"), h("th", { class: "n" }, "outside"), h("th", {}, "difference"))),
    h("tbody", {}, rows.map((row) => {
      const length = Math.min(Math.abs(row.difference), 3) / 3 * 50;
      return h("tr", {}, h("td", {}, row.name), h("td", { class: "n" }, short(row.inside)), h("td", { class: "n" }, short(row.outside)),
        h("td", { class: "bar-cell" }, h("div", { class: "difference", title: `${row.difference} standard deviations` }, h("i", { style: { left: `${row.difference > 0 ? 50 : 50 - length}%`, width: `${length}%`, background: color } }))));
    }))));
}

export function historyPanel(page) {
  const { work } = page;
  const { step } = work;
  const flows = step.flows.map(([from, to, count]) => h("tr", {}, h("td", {}, dot(page, from)), h("td", {}, dot(page, to)), h("td", { class: "n" }, number(count))));
  return [
    h("ol", { class: "steps" }, work.steps.map((s, i) => h("li", { class: i === work.position ? "now" : i > work.position ? "later" : "", "aria-current": i === work.position ? "step" : null },
      h("div", {}, s.text), h("small", {}, [i ? `${number(s.moved)} rows moved` : null, `confidence ${percent(s.confidence)}`, `${s.seconds.toFixed(2)} s`].filter(Boolean).join(" · "))))),
    h("h3", {}, "What moved in this step"),
    flows.length ? h("table", {}, h("thead", {}, h("tr", {}, h("th", {}, "from"), h("th", {}, "to"), h("th", { class: "n" }, "rows"))), h("tbody", {}, flows)) : h("p", { class: "quiet" }, "Nothing."),
    page.marked.size ? h("p", {}, button("Select the rows that moved", () => page.select([...page.marked]))) : null,
    h("h3", {}, "What you said"),
    h("p", {}, said(step.constraints)),
  ];
}

function said(constraints) {
  const parts = [[constraints.labels.length, "rows with a cluster"], [constraints.together.length, "pairs together"], [constraints.apart.length, "pairs apart"], [constraints.unsure.length, "rows unsure"]];
  return parts.filter(([n]) => n).map(([n, text]) => `${number(n)} ${text}`).join(", ") || "Nothing yet: the clusters are those of the fit.";
}

export function dot(page, id) {
  const cluster = page.cluster(id);
  return [h("span", { class: "dot", style: { background: colorOf(cluster) } }), ` ${nameOf(cluster)}`];
}

export function takePanel(page) {
  const base = `/api/works/${page.work.id}/download`;
  const link = (file, text) => h("p", {}, h("a", { class: "button", href: `${base}/${file}`, download: file }, "↓ ", file), " ", h("small", {}, text));
  const code = h("div", {});
  if (page.work.kind !== "table") return [link("labels.csv", "the cluster of each row")];
  guard(async () => {
    const { python, command } = await api.get(`/works/${page.work.id}/code`);
    const block = (title, text) => [h("h3", {}, title, " ", button("copy", () => navigator.clipboard.writeText(text).then(() => say("Copied.")), { class: "quiet", "aria-label": `Copy: ${title}` })), h("pre", { tabindex: "0", "aria-label": title }, text)];
    code.replaceChildren(...[block("Python code for the same result", python), block("Command for the same result", command)].flat());
  });
  const input = h("input", { type: "file", accept: ".json", hidden: true, id: "corrections", onchange: () => replay(page, input.files[0]) });
  return [
    link("labels.csv", "the cluster of each row"), link("model.npz", "for maxmargin predict"), link("report.html", "a page to send"), link("corrections.json", "to do it again"),
    h("p", {}, button("Load corrections", () => input.click(), { disabled: page.busy }), input), code,
    h("p", { class: "small" }, "The work is kept on this machine and offered again on the first page."),
  ];
}

async function replay(page, file) {
  if (!file) return;
  let content;
  try { content = JSON.parse(await file.text()); } catch { say(`${file.name} is not a file of corrections.`, "error"); return; }
  await page.fit(`/datasets/${page.data.id}/replay`, content);
}
