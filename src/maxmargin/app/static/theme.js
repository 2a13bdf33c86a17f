// Light or dark: what the user chose, or what the system has.

import { setTheme } from "./look.js";

function stored() {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // the browser keeps nothing for this page
  }
}

export function initTheme(onchange) {
  const root = document.documentElement;
  const media = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    root.dataset.theme = stored() || (media.matches ? "dark" : "light");
    setTheme(root.dataset.theme === "dark" ? "dark" : "light");
    onchange();
  };
  media.addEventListener("change", apply);
  document.getElementById("theme").addEventListener("click", () => {
    try {
      localStorage.setItem("theme", root.dataset.theme === "dark" ? "light" : "dark");
    } catch {
      /* not kept */
    }
    apply();
  });
  apply();
}
