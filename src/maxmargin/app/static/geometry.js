// Points on the screen: the view of a map, and the points near a place or in a polygon.
//
// Positions are pairs in one array and lie between -1 and 1. A view { zoom, x, y } takes a
// position p to the pixel p * zoom + (x, y).

const GRID = 96; // cells on each side of the grid for quick look-ups
const MARGIN = 48; // pixels that stay free around all points, both sides together

export const toScreen = (view, x, y) => [x * view.zoom + view.x, y * view.zoom + view.y];

// The view that shows all points in an area of so many pixels.
export function viewOfAll(xy, width, height) {
  let low = [1, 1];
  let high = [-1, -1];
  for (let i = 0; i < xy.length; i += 1) {
    low[i % 2] = Math.min(low[i % 2], xy[i]);
    high[i % 2] = Math.max(high[i % 2], xy[i]);
  }
  if (!xy.length)
    [low, high] = [
      [-1, -1],
      [1, 1],
    ];
  // Points on a line have no span in one direction.
  const span = [0, 1].map((a) => Math.max(high[a] - low[a], 0.01));
  const zoom = Math.min((width - MARGIN) / span[0], (height - MARGIN) / span[1]);
  return {
    zoom,
    x: width / 2 - (zoom * (low[0] + high[0])) / 2,
    y: height / 2 - (zoom * (low[1] + high[1])) / 2,
  };
}

// Zoom around the pixel (x, y), within limits that depend on the zoom that shows all.
export function zoomed(view, x, y, factor, home) {
  const zoom = Math.min(Math.max(view.zoom * factor, home / 4), home * 400);
  const share = zoom / view.zoom;
  return { zoom, x: x - (x - view.x) * share, y: y - (y - view.y) * share };
}

// Two fingers, one of which moved: the pixel to zoom at, and the factor.
export function pinch(last, now, other) {
  const before = Math.hypot(last[0] - other[0], last[1] - other[1]);
  const after = Math.hypot(now[0] - other[0], now[1] - other[1]);
  if (!before) return null;
  return { x: (now[0] + other[0]) / 2, y: (now[1] + other[1]) / 2, factor: after / before };
}

const cell = (value) => Math.min(GRID - 1, Math.max(0, (((value + 1) * GRID) / 2) | 0));

// The points by cells of a grid: those of cell c are rows[starts[c]] to rows[starts[c + 1] - 1].
export function indexPoints(xy) {
  const n = xy.length / 2;
  const cellOf = (i) => cell(xy[2 * i + 1]) * GRID + cell(xy[2 * i]);
  const starts = new Int32Array(GRID * GRID + 1);
  for (let i = 0; i < n; i += 1) starts[cellOf(i) + 1] += 1;
  for (let c = 0; c < GRID * GRID; c += 1) starts[c + 1] += starts[c];
  const rows = new Int32Array(n);
  const next = starts.slice();
  for (let i = 0; i < n; i += 1) {
    const c = cellOf(i);
    rows[next[c]] = i;
    next[c] += 1;
  }
  return { starts, rows };
}

// The point nearest to a pixel, at most `reach` pixels away, or null. Rows with a 0 in
// `shown` are passed over; without it all rows count.
export function nearestPoint(xy, grid, view, [px, py], shown = null, reach = 12) {
  const [x, y, r] = [(px - view.x) / view.zoom, (py - view.y) / view.zoom, reach / view.zoom];
  let best = null;
  let least = r * r;
  for (let cy = cell(y - r); cy <= cell(y + r); cy += 1) {
    // The cells of one line of the grid follow each other, and so do their points.
    const end = grid.starts[cy * GRID + cell(x + r) + 1];
    for (let e = grid.starts[cy * GRID + cell(x - r)]; e < end; e += 1) {
      const i = grid.rows[e];
      if (shown && !shown[i]) continue;
      const distance = (xy[2 * i] - x) ** 2 + (xy[2 * i + 1] - y) ** 2;
      if (distance < least) {
        least = distance;
        best = i;
      }
    }
  }
  return best;
}

// Is a point in a polygon? A ray from it crosses the border an odd number of times.
export function contains(polygon, x, y) {
  let odd = false;
  for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a, a += 1) {
    const [xa, ya] = polygon[a];
    const [xb, yb] = polygon[b];
    if (ya > y !== yb > y && x < ((xb - xa) * (y - ya)) / (yb - ya) + xa) odd = !odd;
  }
  return odd;
}

// The points inside a polygon of pixels.
export function pointsInside(xy, view, polygon, shown = null) {
  const xs = polygon.map((p) => p[0]);
  const ys = polygon.map((p) => p[1]);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const found = [];
  for (let i = 0; i < xy.length / 2; i += 1) {
    if (shown && !shown[i]) continue;
    const [x, y] = toScreen(view, xy[2 * i], xy[2 * i + 1]);
    if (x < left || x > right || y < top || y > bottom) continue;
    if (contains(polygon, x, y)) found.push(i);
  }
  return found;
}

// The corner of a note beside a pixel: on its right, or on its left where there is no room.
export function notePlace([x, y], note, area) {
  const beside = x + 14 + note.width > area.width ? x - note.width - 14 : x + 14;
  return {
    left: Math.max(4, beside),
    top: Math.max(4, Math.min(y - 10, area.height - note.height - 6)),
  };
}

// The middle of something wide, so that it is inside if its place is.
export function inside(x, width, area) {
  if (x < 0 || x > area) return x;
  return Math.max(Math.min(width, area) / 2, Math.min(x, area - width / 2));
}

// Which names can be drawn without covering those before them, by the pixels of their
// middles and their widths.
export function namesApart(names, height) {
  const taken = [];
  return names.map(({ x, y, width }) => {
    const covers = (one) =>
      Math.abs(one.x - x) < (one.width + width) / 2 && Math.abs(one.y - y) < height;
    if (taken.some(covers)) return false;
    taken.push({ x, y, width });
    return true;
  });
}

// The width of a point in pixels: the more points, the smaller.
export function pointSize(n) {
  if (n > 100000) return 2.2;
  if (n > 20000) return 3;
  if (n > 4000) return 4.5;
  return n > 600 ? 6.5 : 8.5;
}

// The points for the next frame, from the time that those of this frame took.
export function nextLimit(limit, milliseconds, wanted, least, most) {
  const share = wanted / Math.max(milliseconds, 1);
  return Math.max(least, Math.min(most, limit * Math.min(1.3, Math.max(0.4, share))));
}
