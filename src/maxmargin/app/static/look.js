// Colours of the clusters, for light and dark backgrounds.

let palette = { light: ["#3f90da"], dark: ["#3f90da"] };

export function setPalette(colors) { palette = colors; }

export function dark() { return document.documentElement.dataset.theme === "dark"; }

export function initTheme(onchange) {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const apply = () => {
    document.documentElement.dataset.theme = stored() || (media.matches ? "dark" : "light");
    onchange();
  };
  media.addEventListener("change", apply);
  document.getElementById("theme").addEventListener("click", () => {
    try { localStorage.setItem("theme", dark() ? "light" : "dark"); } catch { /* not kept */ }
    apply();
  });
  apply();
}

export function colorOf(cluster) {
  if (cluster.color) return cluster.color;
  const colors = dark() ? palette.dark : palette.light;
  return colors[cluster.id % colors.length];
}

export const nameOf = (cluster) => cluster.name || String(cluster.id);

export function rgb(color) { return [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16)); }

// The colours of all points: the cluster's, with confidence as opacity.
export function pointColors(labels, confidence, clusters) {
  const table = new Map(clusters.map((c) => [c.id, rgb(colorOf(c))]));
  const colors = new Uint8Array(4 * labels.length);
  for (let i = 0; i < labels.length; i += 1) {
    const color = table.get(labels[i]) || [128, 128, 128];
    colors[4 * i] = color[0]; colors[4 * i + 1] = color[1]; colors[4 * i + 2] = color[2];
    colors[4 * i + 3] = confidence ? 70 + 0.72 * confidence[i] : 230;
  }
  return colors;
}

// A place for the name of each cluster: the row in its middle.
export function namePlaces(xy, labels, clusters, shown) {
  const places = [];
  for (const cluster of clusters) {
    const xs = [], ys = [];
    const step = Math.max(1, Math.floor(labels.length / 20000));
    for (let i = 0; i < labels.length; i += step) if (labels[i] === cluster.id && (!shown || shown[i])) { xs.push(xy[2 * i]); ys.push(xy[2 * i + 1]); }
    if (!xs.length) continue;
    xs.sort((a, b) => a - b); ys.sort((a, b) => a - b);
    places.push({ x: xs[xs.length >> 1], y: ys[ys.length >> 1], text: nameOf(cluster), color: colorOf(cluster) });
  }
  return places;
}
