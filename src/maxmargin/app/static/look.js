// Names and colours of the clusters, for light and dark backgrounds.

let palette = { light: ["#3f90da"], dark: ["#3f90da"] };
let theme = "light";

export function setPalette(colors) {
  palette = colors;
}

export function setTheme(name) {
  theme = name;
}

export function colorOf(cluster) {
  if (cluster.color) return cluster.color;
  const colors = palette[theme];
  return colors[cluster.id % colors.length];
}

export const nameOf = (cluster) => cluster.name || String(cluster.id);

export function rgb(color) {
  return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
}

// The colours of all points: the cluster's, with margin as opacity.
export function pointColors(labels, margin, clusters) {
  const table = new Map(clusters.map((c) => [c.id, rgb(colorOf(c))]));
  const colors = new Uint8Array(4 * labels.length);
  for (let i = 0; i < labels.length; i += 1) {
    const color = table.get(labels[i]) || [128, 128, 128];
    colors[4 * i] = color[0];
    colors[4 * i + 1] = color[1];
    colors[4 * i + 2] = color[2];
    colors[4 * i + 3] = margin ? 70 + 0.72 * margin[i] : 230;
  }
  return colors;
}

// Selected rows are opaque, and all others pale.
export function dimOthers(colors, shown) {
  for (let i = 0; i < shown.length; i += 1) {
    colors[4 * i + 3] = shown[i] === 2 ? 255 : Math.min(colors[4 * i + 3], 60);
  }
}

const middle = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

// The place that is nearest to the middle of all, so that it is on a row.
function middlePlace(xs, ys) {
  const [x, y] = [middle(xs), middle(ys)];
  let best = 0;
  let least = Infinity;
  for (let i = 0; i < xs.length; i += 1) {
    const far = (xs[i] - x) ** 2 + (ys[i] - y) ** 2;
    if (far < least) [best, least] = [i, far];
  }
  return { x: xs[best], y: ys[best] };
}

// A place for the name of each cluster: the row in its middle.
export function namePlaces(xy, labels, clusters, shown) {
  const step = Math.max(1, Math.floor(labels.length / 20000)); // a part of the rows will do
  const places = [];
  for (const cluster of clusters) {
    const xs = [];
    const ys = [];
    for (let i = 0; i < labels.length; i += step) {
      if (labels[i] !== cluster.id || (shown && !shown[i])) continue;
      xs.push(xy[2 * i]);
      ys.push(xy[2 * i + 1]);
    }
    if (!xs.length) continue;
    places.push({ ...middlePlace(xs, ys), text: nameOf(cluster), color: colorOf(cluster) });
  }
  return places;
}
