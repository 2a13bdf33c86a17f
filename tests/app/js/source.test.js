// The source itself: lines that fit, and modules that do not import each other in a circle.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const STATIC = new URL("../../../src/maxmargin/app/static/", import.meta.url);
const TESTS = new URL("./", import.meta.url);
const LONGEST = 100;

function filesOf(folder, ending) {
  const names = readdirSync(folder).filter((name) => ending.test(name));
  return new Map(names.map((name) => [name, readFileSync(new URL(name, folder), "utf8")]));
}

// The modules that each module imports, at once or when it is needed.
function importsOf(files) {
  const list = (text) => [...text.matchAll(/"\.\/([^"]+\.js)"/g)].map(([, name]) => name);
  return new Map([...files].map(([name, text]) => [name, new Set(list(text))]));
}

// A circle as a list of modules, or null.
function findCycle(imports) {
  const done = new Set();
  const visit = (name, way) => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return null;
    for (const next of imports.get(name) ?? []) {
      const found = visit(next, [...way, name]);
      if (found) return found;
    }
    done.add(name);
    return null;
  };
  for (const name of imports.keys()) {
    const found = visit(name, []);
    if (found) return found;
  }
  return null;
}

test("no line is too long", () => {
  const long = [];
  for (const [folder, ending] of [
    [STATIC, /\.(js|css|html)$/],
    [TESTS, /\.js$/],
  ]) {
    for (const [name, text] of filesOf(folder, ending)) {
      text.split("\n").forEach((line, i) => {
        if ([...line].length > LONGEST) long.push(`${name}:${i + 1}`);
      });
    }
  }
  assert.deepEqual(long, []);
});

test("the search for circles finds them", () => {
  const modules = (...pairs) => new Map(pairs.map(([name, ...uses]) => [name, new Set(uses)]));
  assert.equal(findCycle(modules(["a", "b", "c"], ["b", "c"], ["c"])), null);
  const circle = findCycle(modules(["a", "b"], ["b", "c"], ["c", "b"]));
  assert.deepEqual(circle, ["b", "c", "b"]);
});

test("no modules import each other in a circle", () => {
  const imports = importsOf(filesOf(STATIC, /\.js$/));
  assert.ok(imports.get("main.js").has("table.js")); // imported when it is needed
  assert.ok(imports.get("table.js").has("map.js"));
  for (const [name, used] of imports) {
    for (const other of used) assert.ok(imports.has(other), `${name} imports ${other}`);
  }
  assert.equal(findCycle(imports), null);
});
