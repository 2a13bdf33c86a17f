// The panel of the steps: what was done, and what it moved.

import { button, cell, h, head, line, numberCell, numberHead, table } from "./dom.js";
import { constraintText, marginText, number } from "./format.js";
import { dot } from "./parts.js";

export function historyPanel(page) {
  const { step } = page.work;
  const moved = () => page.select([...page.marked]);
  return [
    steps(page.work),
    h("h3", {}, "What moved in this step"),
    flows(page, step),
    page.marked.size ? h("p", {}, button("Select the rows that moved", moved)) : null,
    h("h3", {}, "What you said"),
    h("p", {}, constraintText(step.constraints)),
  ];
}

function steps(work) {
  const items = work.steps.map((step, i) => {
    const now = i === work.position;
    const facts = [`mean margin ${marginText(step.margin)}`, `${step.seconds.toFixed(2)} s`];
    if (i) facts.unshift(`${number(step.moved)} rows moved`);
    return h(
      "li",
      {
        class: now ? "now" : i > work.position ? "later" : "",
        "aria-current": now ? "step" : null,
      },
      h("div", {}, step.text),
      h("small", {}, facts.join(" · ")),
    );
  });
  return h("ol", { class: "steps" }, items);
}

function flows(page, step) {
  if (!step.flows.length) return h("p", { class: "quiet" }, "Nothing.");
  const lines = step.flows.map(([from, to, count]) =>
    line(cell(dot(page.cluster(from))), cell(dot(page.cluster(to))), numberCell(number(count))),
  );
  return table([head("from"), head("to"), numberHead("rows")], lines);
}
