import MiniSearch from "minisearch";
import { element } from "./dom.js";

/** The folder of the pages. Addresses in the index are relative to it. */
const folder = new URL(".", import.meta.url);
const maxResults = 12;
/** Types of the SDK rank lower, because they repeat the schemas. */
const weights = { Endpoint: 2.5, Error: 2, SDK: 0.8 };
const queryOptions = {
  prefix: true,
  fuzzy: (word) => (word.length > 4 ? 0.25 : false), // two swapped letters count as two edits
  boost: { title: 4, names: 3 },
  boostDocument: (_id, _word, { kind }) => weights[kind] ?? 1,
};

const dialog = document.querySelector(".search");
const input = dialog.querySelector("input");
const list = dialog.querySelector("ul");
const hint = dialog.querySelector("p");
const firstHint = hint.textContent;
let loading;

/** Opens the search. Loads the index on first use. */
export function openSearch() {
  loading ??= import("search-index").then(({ index, options }) =>
    MiniSearch.loadJSON(index, options),
  );
  loading.catch(() => {
    hint.textContent = "The search could not be loaded. Load the page again.";
  });
  if (dialog.open) return;
  dialog.showModal();
  input.select();
}

/** The results of a query: records with all words, or else with any word. Titles that are or begin like it come first. */
function find(index, question) {
  const all = index.search(question, { ...queryOptions, combineWith: "AND" });
  const found = all.length > 0 ? all : index.search(question, queryOptions);
  const asked = question.toLowerCase();
  const stem = asked.replace(/(ie)?[sy]$/, "");
  const nearness = ({ title, kind }) => {
    const name = title.toLowerCase();
    if (name === asked) return kind === "SDK guide" ? 2 : 3;
    return kind === "Guide" && name.startsWith(stem) ? 1 : 0;
  };
  return found.toSorted((one, other) => nearness(other) - nearness(one)).slice(0, maxResults);
}

input.addEventListener("input", async () => {
  const question = input.value.trim();
  const found = question === "" ? [] : find(await loading, question);
  if (question !== input.value.trim()) return; // typed on in the meantime
  list.replaceChildren(...found.map(resultItem));
  input.ariaExpanded = String(found.length > 0);
  choose(0);
  if (question === "") hint.textContent = firstHint;
  else hint.textContent = found.length > 0 ? `${found.length} results` : "Nothing found.";
});

const options = () => [...list.querySelectorAll("[role=option]")];

/** Chooses a result. The focus stays in the input, which names the chosen one. */
function choose(at) {
  for (const [place, option] of options().entries()) option.ariaSelected = String(place === at);
  const chosen = options()[at];
  input.setAttribute("aria-activedescendant", chosen?.id ?? "");
  chosen?.scrollIntoView({ block: "nearest" });
}

input.addEventListener("keydown", (event) => {
  const all = options();
  const at = all.findIndex(({ ariaSelected }) => ariaSelected === "true");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) choose((at + step + all.length) % all.length);
  else if (event.key === "Enter") all[at]?.click();
  else return;
  event.preventDefault();
});
dialog.addEventListener("click", ({ target }) => {
  if (target === dialog || target.closest("a")) dialog.close(); // also a click outside
});

function resultItem({ title, kind, detail, to }, at) {
  const href = new URL(to, folder).href;
  const link = element("a", { href, id: `found-${at}`, role: "option", tabIndex: -1 });
  link.append(
    element("b", { textContent: title }),
    element("small", { className: "soft", textContent: kind }),
  );
  if (detail) link.append(element("small", { className: "soft", textContent: detail }));
  const item = element("li", { role: "presentation" });
  item.append(link);
  return item;
}
