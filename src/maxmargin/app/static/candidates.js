// What can be taken in place of the present clusters: levels of the tree and labellings.

import * as api from "./api.js";
import { clusterCount, number } from "./format.js";

// A level of the tree of clusters.
export function levelOf(page, clusters) {
  const score = (page.numbers.scores || []).find(([k]) => k === clusters);
  return {
    key: `level ${clusters}`,
    clusters,
    address: `levels/${clusters}`,
    action: { kind: "level", clusters },
    title: clusterCount(clusters),
    about: score ? `score ${score[1].toFixed(2)}` : "",
  };
}

// Another labelling, by its place in the list of the server.
export function choiceOf(page, at) {
  const { text, clusters, columns, moved } = page.numbers.alternatives[at];
  const agree = page.tally ? page.tally[at] : 0;
  const asked = answered(page.said).length;
  const words = [
    columns.length ? `by ${columns.join(" and ")}` : "",
    moved ? `${number(moved)} rows differ` : "",
    asked ? `agrees with ${agree} of ${asked} answers` : "",
  ];
  return {
    key: `choice ${at}`,
    clusters,
    address: `alternatives/${at}`,
    action: { kind: "choose", number: at, ...pairsOf(page.said) },
    title: text,
    about: words.filter(Boolean).join(" · "),
  };
}

export const answered = (said) => said.filter(([, , together]) => together !== null);

// The answers as pairs of rows that belong together, or apart.
export function pairsOf(said) {
  const pairs = (value) => said.filter((one) => one[2] === value).map(([a, b]) => [a, b]);
  return { together: pairs(true), apart: pairs(false) };
}

// The place of the labelling that agrees with most answers; null if several do, or none
// was asked.
export function bestChoice(tally, said) {
  if (!tally || !answered(said).length) return null;
  const most = Math.max(...tally);
  const best = tally.flatMap((count, at) => (count === most ? [at] : []));
  return best.length === 1 ? best[0] : null;
}

// The cluster of each row, which is read once.
export async function labelsOf(page, { key, address }) {
  if (!page.levels.has(key)) {
    const buffer = await api.bytes(`/works/${page.work.id}/${address}`);
    page.levels.set(key, new Int32Array(buffer));
  }
  return page.levels.get(key);
}
