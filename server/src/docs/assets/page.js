/*
 * Adds copying of code, a remembered language of the samples, and search. Pages are readable without this script. Its
 * only request is for the search index, which is a file in the same folder.
 */
import { copy, element } from "./dom.js";
import { openSearch } from "./search-dialog.js";

/** Adds a copy button to each block of code. */
function addCopyButtons() {
  for (const block of document.querySelectorAll("main pre")) {
    const frame = element("div", { className: "code" });
    block.replaceWith(frame);
    const button = element("button", { type: "button", textContent: "Copy" });
    button.addEventListener("click", () => copy(block.textContent, button));
    frame.append(block, button);
  }
}

/** Shows the button that copies the page as Markdown, on pages that are a text. */
function addPageCopy() {
  const button = document.querySelector(".copy-page");
  if (!button) return;
  const { content } = document.getElementById("markdown");
  button.hidden = false;
  button.addEventListener("click", () => copy(content.textContent, button));
}

const languageKey = "queue-api-docs.language";

/** Shows samples in the last chosen language. */
function keepLanguage() {
  const choices = [...document.querySelectorAll(".samples > input")];
  try {
    const last = localStorage.getItem(languageKey);
    const choice = choices.find(({ value }) => value === last);
    if (choice) choice.checked = true;
    for (const one of choices) {
      one.addEventListener("change", () => localStorage.setItem(languageKey, one.value));
    }
  } catch {
    // Without storage, the first language is shown.
  }
}

function showCurrentPage() {
  const nav = document.getElementById("nav");
  nav.addEventListener("click", ({ target }) => {
    if (target.closest("a")) nav.hidePopover(); // it would cover a section of this page
  });
  const current = nav.querySelector("[aria-current]");
  if (current) nav.scrollTop = current.offsetTop - nav.clientHeight / 3;
}

/** Whether a key opens the search: a slash outside text fields, or Ctrl+K. */
function isSearchKey(event) {
  if (event.key === "k" && (event.metaKey || event.ctrlKey)) return true;
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable]");
  return event.key === "/" && !isTyping && !event.metaKey && !event.ctrlKey && !event.altKey;
}

addCopyButtons();
addPageCopy();
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
