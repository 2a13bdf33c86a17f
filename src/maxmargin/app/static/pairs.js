// Doubtful pairs: which one is asked, and what is shown of its rows.

export const pairKey = (pair) => `${pair.first} ${pair.second}`;

export const nextPair = (pairs, skipped) => pairs.find((pair) => !skipped.has(pairKey(pair)));

const isNumber = (value) => value !== "" && value !== null && Number.isFinite(Number(value));

// Numbers in text are numbers.
export const cellValue = (cell) => (isNumber(cell) ? Number(cell) : cell);

// How much two cells differ, from 0 to 1.
export function difference(one, two) {
  const [a, b] = [Number(one), Number(two)];
  if (!Number.isFinite(a) || !Number.isFinite(b)) return one === two ? 0 : 1;
  return Math.abs(a - b) / (Math.abs(a) + Math.abs(b) + 1e-9);
}

// The columns in which two rows differ most.
export function differingColumns(names, cells, other, count) {
  const by = (name) => difference(cells[name], other[name]);
  return [...names].sort((a, b) => by(b) - by(a)).slice(0, count);
}

// The shades of a row of pixels, 0 to 255, if the row is a square image; otherwise null.
export function shadesOf(names, cells) {
  const side = Math.sqrt(names.length);
  if (!Number.isInteger(side) || side < 4) return null;
  if (!names.every((name) => /^pixel/i.test(name))) return null;
  const values = names.map((name) => Number(cells[name]));
  const high = Math.max(...values, 1e-9);
  return { side, shades: values.map((v) => 255 - Math.round((255 * v) / high)) };
}
