// Other labellings of the rows, and questions whose answers choose among them.

import * as api from "./api.js";
import { answered, bestChoice, choiceOf } from "./candidates.js";
import { button, fill, h } from "./dom.js";
import { guard } from "./guard.js";
import { answerButtons, pairSides } from "./queue.js";
import { smallMap } from "./small_map.js";

export function choicePart(page, show) {
  const { alternatives } = page.numbers;
  if (!alternatives) return findButton(page);
  const card = h("section", { class: "card question", "aria-label": "Question" });
  const maps = h("div", { class: "levels" });
  const draw = () =>
    fill(
      maps,
      alternatives.map((_, at) => smallMap(page, choiceOf(page, at), show)),
    );
  draw();
  if (alternatives.length > 1) ask(page, card, show, draw);
  else fill(card, "Similarities, scales and methods all agree: there is no other labelling.");
  return [maps, card];
}

function findButton(page) {
  const start = async () => {
    await page.fit(`/works/${page.work.id}/alternatives`);
    page.numbers = null; // read anew, with what was found
    page.tab = "number";
    page.render();
  };
  return [
    h("p", { class: "quiet" }, "Other similarities, scales of the columns and methods."),
    button("Find other labellings", start, { disabled: page.busy, id: "find-others" }),
  ];
}

// Ask about the pair on which the labellings disagree most.
async function ask(page, card, show, draw) {
  const asked = { answers: page.said };
  const path = `/works/${page.work.id}/alternatives/question`;
  const found = await guard(() => api.post(path, asked));
  if (!found || page.closed || page.tab !== "number") return;
  page.tally = found.agree;
  if (page.said.length) draw(); // which of them agree with the answers
  const best = bestChoice(page.tally, page.said);
  const count = answered(page.said).length;
  const result = best === null ? null : chosen(page, best, count, show);
  if (!found.pair) {
    fill(card, h("h3", {}, "Nothing more to ask"), result);
    return;
  }
  const [first, second] = found.pair;
  const sides = await pairSides(page, first, second);
  if (!sides || page.closed || page.tab !== "number") return;
  page.mark(found.pair);
  page.answer = (sign) => {
    const value = { y: true, n: false, s: null }[sign];
    page.said.push([first, second, value]);
    page.answer = null;
    page.render();
  };
  const help = "Answers choose the labelling; those that it contradicts correct it then.";
  fill(
    card,
    h("h3", {}, "Not sure? Do these two belong together?"),
    result || h("p", { class: "small" }, help),
    sides,
    answerButtons(page),
  );
}

function chosen(page, best, count, show) {
  const { title, about } = choiceOf(page, best);
  const text = `Best so far: ${title} (${about}). `;
  const see = button("Show it", () => show(choiceOf(page, best)), { id: "show-best" });
  return h("p", { class: "small", role: "status" }, text, count ? see : null);
}
