// The rules for the JavaScript of the page and its tests. Prettier formats it, and
// tests/app/js/source.test.js looks for long lines and import cycles.

import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    rules: {
      eqeqeq: "error",
      "max-lines-per-function": ["error", { max: 50, skipComments: true }],
      "no-implicit-globals": "error",
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["src/maxmargin/app/static/*.js", "src/maxmargin/notebook/*.js"],
    languageOptions: { globals: globals.browser },
    rules: { "no-restricted-properties": htmlSinks() },
  },
  { files: ["tests/app/js/*.js"], languageOptions: { globals: globals.nodeBuiltin } },
];

// Elements are made from text: HTML in a cell of a table must not become part of the page.
function htmlSinks() {
  const message = "Use h() of dom.js, which makes elements from text.";
  const sinks = ["innerHTML", "outerHTML", "insertAdjacentHTML"];
  return ["error", ...sinks.map((property) => ({ property, message }))];
}
