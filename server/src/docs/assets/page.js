/*
 * What a page does beyond being read: copy code, keep the language of the samples, search. Without it everything
 * can be read. It sends no request but for the index of the search, which is a file beside this one.
 */
import { openSearch } from "./search-dialog.js";

/** Gives each block of code a button that copies it. */
function addCopyButtons() {
  for (const block of document.querySelectorAll("main pre")) {
    const frame = document.createElement("div");
    frame.className = "code";
    block.replaceWith(frame);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const copied = await copy(block.textContent);
      button.textContent = copied ? "Copied" : "Select it and copy";
      setTimeout(() => {
        button.textContent = "Copy";
      }, 2_000);
    });
    frame.append(block, button);
  }
}

/** Whether a text could be put on the clipboard, which browsers allow to secure pages alone. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

const languageKey = "queue-api-docs.language";

/** Shows samples in the language that was chosen last. */
function keepLanguage() {
  const choices = [...document.querySelectorAll(".tabs input")];
  try {
    const last = localStorage.getItem(languageKey);
    const choice = choices.find(({ value }) => value === last);
    if (choice) choice.checked = true;
    for (const one of choices) {
      one.addEventListener("change", () => localStorage.setItem(languageKey, one.value));
    }
  } catch {
    // A browser that stores nothing shows the first language.
  }
}

/** Addresses like `reference#createEntry` led to the endpoint itself once; they still do. */
function followMovedAnchor() {
  const target = document.getElementById(location.hash.slice(1));
  const link = target?.matches(".endpoints > li, .names > li") && target.querySelector("a");
  if (link) location.replace(link.href);
}

function showCurrentPage() {
  const nav = document.getElementById("nav");
  const current = nav.querySelector("[aria-current]");
  if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 3;
}

/** A slash opens the search unless somebody is typing. */
function isSearchKey(event) {
  if (event.key === "k" && (event.metaKey || event.ctrlKey)) return true;
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  return event.key === "/" && !isTyping && !event.metaKey && !event.ctrlKey && !event.altKey;
}

followMovedAnchor();
addEventListener("hashchange", followMovedAnchor);
addCopyButtons();
keepLanguage();
showCurrentPage();
const button = document.querySelector(".search-button");
button.hidden = false;
button.addEventListener("click", openSearch);
document.addEventListener("keydown", (event) => {
  if (!isSearchKey(event)) return;
  event.preventDefault();
  openSearch();
});
