// Strokes on an image: what they ask for.

const MOST = 8; // segments, which is the number of colours

// The segments to fit: one for each painted one, and without strokes as many as chosen.
export function segmentCount(strokes, chosen) {
  const used = new Set(strokes.map((stroke) => stroke.segment));
  return Math.max(2, strokes.length ? used.size : chosen);
}

// Strokes of one segment alone do not separate anything.
export function isOneSided(strokes) {
  return strokes.length > 0 && new Set(strokes.map((stroke) => stroke.segment)).size < 2;
}

// The brushes to offer: those that were used, and one more.
export function brushCount(strokes) {
  return Math.min(MOST, Math.max(2, ...strokes.map((stroke) => stroke.segment)) + 1);
}

// The pixel of the image under a place on the screen, to a tenth.
export function pixelAt(clientX, clientY, box, width, height) {
  const x = ((clientX - box.left) * width) / box.width;
  const y = ((clientY - box.top) * height) / box.height;
  return [x, y].map((value) => Math.round(10 * value) / 10);
}

// How large an image is shown: as there is room, at most four times its size. Null without room.
export function shownWidth(image, room, windowHeight) {
  const height = Math.max(220, Math.min(room.height, windowHeight) - 26);
  const scale = Math.min((room.width - 26) / image.width, height / image.height, 4);
  return scale > 0 ? Math.floor(scale * image.width) : null;
}
