// Why one of two labellings may be better, in words.

import { percent } from "./format.js";

const CLEAR = { links: 0.005, silhouette: 0.01 }; // differences that are worth a word

const signed = (value) => (value === null ? "–" : value.toFixed(2));

// The figures that both labellings are asked for: what, here, there.
export function figures({ links, silhouette, clusters }) {
  return [
    ["nearest rows in another cluster", ...links.map(share)],
    ["mean silhouette", ...silhouette.map(signed)],
    ["clusters", ...clusters.map(String)],
  ];
}

// Small shares have a digit more: they differ.
export function share(value) {
  return value > 0 && value < 0.1 ? `${(100 * value).toFixed(1)}%` : percent(value);
}

// Which of two values is better, 0 or 1; null if they hardly differ or are not known.
export function better([here, there], least) {
  if (here === null || there === null || Math.abs(here - there) < least) return null;
  return here > there ? 0 : 1;
}

// What the figures say, in sentences.
export function verdict({ links, silhouette, clusters }) {
  const places = ["here", "there"];
  const cuts = better(
    links.map((value) => -value),
    CLEAR.links,
  );
  const compact = better(silhouette, CLEAR.silhouette);
  const words = [];
  if (cuts !== null) {
    words.push(
      `Near rows are more often in one cluster ${places[cuts]}: ` +
        "the boundaries lie where there are fewer rows.",
    );
  }
  if (compact !== null) {
    words.push(`By silhouette the clusters ${places[compact]} are more compact.`);
  }
  if (cuts === null && compact === null) {
    words.push("Both figures are nearly equal: neither labelling is better by them.");
  } else if (cuts !== null && cuts === compact) {
    words.push(`Both figures speak for the clusters ${places[cuts]}.`);
  } else if (cuts !== null && compact !== null) {
    words.push("Silhouette prefers round clusters of equal width; other shapes lose by it.");
  }
  if (clusters[0] !== clusters[1]) {
    words.push("The numbers of clusters differ: more clusters part more of the near rows.");
  }
  return words.join(" ");
}

// To which cluster the rows belong that differ, by the rows that are nearest to them.
export function nearestText([here, there], names) {
  const text = `Of their nearest rows ${percent(here)} are in ${names[0]} here, `;
  return `${text}${percent(there)} in ${names[1]} there.`;
}
