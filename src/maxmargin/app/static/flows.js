// The picture of clusters over time: a bar for each snapshot, bands for what moved.

export const HEIGHT = 150;
const STEP = 46; // from one bar to the next
const BAR = 12; // width of a bar
const LEFT = 20; // free on both sides, for half of the name of a time
const TOP = 4;
const BELOW = 20; // for the free part at the top and the names of the times

export const pictureWidth = (count) => 2 * LEFT + (count - 1) * STEP + BAR;

export const barLeft = (time) => LEFT + time * STEP;

export const barMiddle = (time) => barLeft(time) + BAR / 2;

// The height of one object: the largest snapshot has the whole height.
export function unitOf(snapshots) {
  return (HEIGHT - BELOW) / Math.max(...snapshots.map((s) => s.objects));
}

// Where each cluster of a snapshot begins.
export function starts(sizes, unit) {
  let y = TOP;
  return sizes.map((size) => {
    const start = y;
    y += size * unit;
    return start;
  });
}

// The rectangles of one snapshot, in the order of the clusters.
export function bars(sizes, time, unit) {
  const tops = starts(sizes, unit);
  return sizes.map((size, c) => ({
    x: barLeft(time),
    y: tops[c],
    width: BAR,
    height: size * unit,
  }));
}

// The bands between the snapshots `time` and `time + 1`: table[a][b] objects go from
// cluster a to cluster b. They lie beside each other at both ends.
export function bands(table, time, snapshots, unit) {
  const left = starts(snapshots[time].sizes, unit);
  const right = starts(snapshots[time + 1].sizes, unit);
  const [x0, x1] = [barLeft(time) + BAR, barLeft(time + 1)];
  const found = [];
  table.forEach((row, from) =>
    row.forEach((count, to) => {
      if (!count) return;
      const height = count * unit;
      const path = bandPath(x0, left[from], x1, right[to], height);
      found.push({ from, to, count, path });
      left[from] += height;
      right[to] += height;
    }),
  );
  return found;
}

function bandPath(x0, y0, x1, y1, height) {
  const m = (x0 + x1) / 2;
  const there = `M${x0} ${y0}C${m} ${y0} ${m} ${y1} ${x1} ${y1}`;
  const back = `C${m} ${y1 + height} ${m} ${y0 + height} ${x0} ${y0 + height}`;
  return `${there}v${height}${back}z`;
}
