// How a text file is written: what was found out, and other ways to read it.

import * as api from "./api.js";
import { field, h, select } from "./dom.js";
import { guard } from "./guard.js";

const ENCODINGS = [
  ["", "found out"],
  ["utf-8", "UTF-8"],
  ["cp1252", "Windows, western Europe (cp1252)"],
  ["cp1250", "Windows, central Europe (cp1250)"],
  ["cp1251", "Windows, Cyrillic (cp1251)"],
  ["utf-16", "UTF-16"],
  ["shift_jis", "Japanese (Shift JIS)"],
  ["gb18030", "Chinese (GB 18030)"],
];
const DECIMALS = [
  ["", "found out"],
  [".", "point: 1.5"],
  [",", "comma: 1,5"],
];
const SIGNS = { "\t": "tabs", " ": "blanks", ",": "commas", ";": "semicolons", "|": "bars" };

// The two choices; set is called with the name and the value of the one that changed.
export function readingFields(given, set) {
  return h(
    "div",
    { class: "two" },
    field(
      "Encoding of text",
      select("Encoding of text", ENCODINGS, given.encoding || "", (v) => set("encoding", v)),
    ),
    field(
      "Decimal sign",
      select("Decimal sign", DECIMALS, given.decimal || "", (v) => set("decimal", v)),
    ),
  );
}

// What was found out, in words; nothing for files that are not text.
export function readingText({ reading }) {
  if (!reading) return "";
  const comma = reading.decimal === "," ? "decimal commas" : "decimal points";
  const cells = SIGNS[reading.delimiter] || `“${reading.delimiter}”`;
  return `${reading.encoding.toUpperCase()}, ${cells} between cells, ${comma}`;
}

// The same on the page of a table, where the file can be read again.
export function readingPart(page) {
  const { data } = page;
  if (!data.reading) return null;
  const again = async (key, value) => {
    const wanted = { encoding: data.encoding, decimal: data.decimal, [key]: value || null };
    const found = await guard(() => api.post(`/datasets/${data.id}/reading`, wanted));
    if (!found || page.closed) return;
    page.data = found;
    page.form = null; // columns may be other ones now
    page.rows.clear();
    page.render();
  };
  return h(
    "details",
    {},
    h("summary", {}, `Read as ${readingText(data)}`),
    readingFields(data, again),
  );
}
