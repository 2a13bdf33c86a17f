// Doubtful pairs: which one is asked, and what is shown of its rows.

export const pairKey = (pair) => `${pair.first} ${pair.second}`;

export const nextPair = (pairs, skipped) => pairs.find((pair) => !skipped.has(pairKey(pair)));

const UNEQUAL = 1.5; // for texts, in standard deviations
const isNumber = (value) => value !== "" && value !== null && Number.isFinite(Number(value));

// Numbers in text are numbers.
export const cellValue = (cell) => (isNumber(cell) ? Number(cell) : cell);

// How much two cells differ: numbers in standard deviations of their column, if these are
// known, and texts by all or nothing.
export function difference(one, two, deviation = null) {
  const [a, b] = [Number(one), Number(two)];
  if (one === two) return 0;
  if (!isNumber(one) || !isNumber(two)) return UNEQUAL;
  return Math.abs(a - b) / (deviation || Math.abs(a) + Math.abs(b) + 1e-9);
}

// The columns on which two rows differ most, by what they count, and those on which they
// agree most.
export function tellingColumns(columns, cells, other, { differing, agreeing }) {
  const found = columns
    .map(({ name, deviation, weight = 1 }) => {
      const by = difference(cells[name], other[name], deviation) * Math.sqrt(weight);
      return { name, by };
    })
    .sort((a, b) => b.by - a.by);
  const names = found.map(({ name }) => name);
  const first = Math.min(differing, found.filter(({ by }) => by > 0).length);
  const rest = names.slice(Math.max(first, names.length - agreeing)).reverse();
  return { differ: names.slice(0, first), agree: rest };
}

// The shades of a row that is a picture, 0 to 255.
export function shadesOf(columns, cells) {
  const values = columns.map((name) => Number(cells[name]));
  const high = Math.max(...values, 1e-9);
  return values.map((v) => 255 - Math.round((255 * Math.max(v, 0)) / high));
}
