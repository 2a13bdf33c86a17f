// Numbers of clusters: their scores as a plot, how far the slider goes, what a level changes.

const LEAST = 20; // clusters that the slider goes to, if there are so many

// The largest number of the slider: three times the largest one that is shown.
export function sliderEnd({ most, shown }, present) {
  return Math.min(most, Math.max(LEAST, 3 * Math.max(present, ...shown)));
}

// The places of scores in a picture, by the logarithm of the number; zero is the height of
// the score 0, that of one cluster.
export function plotScores(scores, width, height) {
  const numbers = scores.map(([number]) => number);
  const last = Math.log(Math.max(...numbers, 2));
  const values = scores.map(([, score]) => score);
  const high = Math.max(...values, 1e-9);
  const low = Math.min(Math.max(Math.min(...values, 0), -high), 0); // far below does not matter
  const y = (value) => height * (1 - (Math.max(value, low) - low) / (high - low));
  const points = scores.map(([number, score]) => ({
    number,
    score,
    x: (width * Math.log(number)) / last,
    y: y(score),
  }));
  return { points, zero: y(0) };
}

// How the clusters of one labelling lie in those of another: parts of one that was split,
// and several that were joined.
export function changes(labels, other) {
  const into = new Map();
  const from = new Map();
  const add = (map, key, value) => map.set(key, (map.get(key) || new Set()).add(value));
  for (let i = 0; i < labels.length; i += 1) {
    add(into, labels[i], other[i]);
    add(from, other[i], labels[i]);
  }
  const several = ([, found]) => found.size > 1;
  return {
    split: [...into].filter(several).map(([id, found]) => ({ id, parts: found.size })),
    joined: [...from].filter(several).map(([, found]) => [...found].sort((a, b) => a - b)),
  };
}

// The same in a few words; name gives the name of a cluster by its id.
export function changeText({ split, joined }, name) {
  const words = [
    ...joined.map((ids) => `joins ${ids.map(name).join(", ")}`),
    ...split.map(({ id, parts }) => `splits ${name(id)} into ${parts}`),
  ];
  const more = words.length > 2 ? `, and ${words.length - 2} more` : "";
  return `${words.slice(0, 2).join(", ")}${more}`;
}
