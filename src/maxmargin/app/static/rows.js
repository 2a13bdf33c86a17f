// Which rows: of a cluster, of an object, moved, shown, selected.

export function rowsWith(values, value) {
  const rows = [];
  for (let i = 0; i < values.length; i += 1) if (values[i] === value) rows.push(i);
  return rows;
}

export function changedRows(before, after) {
  const rows = [];
  for (let i = 0; i < before.length; i += 1) if (before[i] !== after[i]) rows.push(i);
  return rows;
}

// The rows that are in one cluster by the first labels, and in another by the second.
export function rowsInBoth(first, one, second, other) {
  return rowsWith(first, one).filter((i) => second[i] === other);
}

// The rows whose clusters do not match; matched has the partner of each second cluster.
export function unmatchedRows(first, second, matched) {
  const partners = new Map(matched);
  const matching = second.map((cluster) => partners.get(cluster) ?? -1);
  return changedRows(first, matching);
}

// The labels and the margin of all rows, as the server sends them: first 4 bytes for
// each row, then 1 byte for each.
export function splitLabels(buffer) {
  const n = buffer.byteLength / 5;
  return { labels: new Int32Array(buffer, 0, n), margin: new Uint8Array(buffer, 4 * n, n) };
}

// How each row is drawn: 0 (hidden), 1 (a row), 2 (selected) or 3 (marked). With times,
// only the rows of one time are shown.
export function shownRows(n, { selection = [], marked = [], times = null, time = 0 }) {
  const shown = new Uint8Array(n).fill(1);
  if (times) for (let i = 0; i < n; i += 1) shown[i] = times[i] === time ? 1 : 0;
  for (const row of marked) if (shown[row]) shown[row] = 3;
  for (const row of selection) if (shown[row]) shown[row] = 2;
  return shown;
}

// The selection after a click on a row, or beside all rows (null).
export function pickedRows(selection, row, add) {
  if (row === null) return add ? [...selection] : [];
  if (!add) return [row];
  return selection.has(row) ? [...selection].filter((r) => r !== row) : [...selection, row];
}

// The rows of one object, in the order of time.
export function wayOf(object, objects, times) {
  return rowsWith(objects, object).sort((a, b) => times[a] - times[b]);
}
