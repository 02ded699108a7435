import MiniSearch from "minisearch";

/** The folder of the pages. Addresses in the index are relative to it. */
const folder = new URL(".", import.meta.url);
const mostResults = 12;
/** Types of the SDK rank lower, because they repeat the schemas. */
const weights = { Endpoint: 2, Error: 2, SDK: 0.8 };
const queryOptions = {
  prefix: true,
  fuzzy: (word) => (word.length > 4 ? 0.25 : false), // two swapped letters count as two edits
  boost: { title: 4, names: 3 },
  boostDocument: (_id, _word, { kind }) => weights[kind] ?? 1,
};

let dialog;

/** Opens the search. Loads the index on first use. */
export function openSearch() {
  dialog ??= makeDialog();
  if (dialog.open) return;
  dialog.showModal();
  dialog.querySelector("input").select();
}

async function loadIndex() {
  const { index, options } = await import("search-index");
  return MiniSearch.loadJSON(index, options);
}

/** The results of a query: records with all words, or else with any word. Titles that are or begin like it come first. */
function find(index, question) {
  const all = index.search(question, { ...queryOptions, combineWith: "AND" });
  const found = all.length > 0 ? all : index.search(question, queryOptions);
  const asked = question.toLowerCase();
  const nearness = ({ title, kind }) => {
    const name = title.toLowerCase();
    if (name === asked) return kind === "SDK guide" ? 2 : 3;
    return kind === "Guide" && name.startsWith(asked) ? 1 : 0;
  };
  return found.toSorted((one, other) => nearness(other) - nearness(one)).slice(0, mostResults);
}

function makeDialog() {
  const made = element("dialog", { className: "search" });
  made.setAttribute("aria-label", "Search");
  const input = element("input", {
    type: "text",
    placeholder: "Endpoints, fields, errors, guides",
  });
  for (const [name, value] of Object.entries({
    role: "combobox",
    "aria-label": "Search the documentation",
    "aria-expanded": "false",
    "aria-controls": "search-results",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  })) {
    input.setAttribute(name, value);
  }
  const list = element("ul", { id: "search-results", role: "listbox", hidden: true });
  list.setAttribute("aria-label", "Results");
  const hint = element("p", { className: "hint", textContent: "Type a name or a few words." });
  hint.setAttribute("role", "status");
  made.append(input, list, hint);
  document.body.append(made);

  const loading = loadIndex();
  loading.catch(() => {
    hint.textContent = "The search could not be loaded. Load the page again.";
  });
  let selected = -1;

  const select = (at) => {
    const options = [...list.children];
    if (options.length === 0) return;
    selected = (at + options.length) % options.length;
    for (const [place, option] of options.entries()) {
      option.setAttribute("aria-selected", String(place === selected));
    }
    input.setAttribute("aria-activedescendant", options[selected].id);
    options[selected].scrollIntoView({ block: "nearest" });
  };
  const go = (option) => {
    made.close();
    location.assign(new URL(option.dataset.to, folder));
  };

  input.addEventListener("input", async () => {
    const question = input.value.trim();
    const found = question === "" ? [] : find(await loading, question);
    if (question !== input.value.trim()) return; // typed on in the meantime
    list.replaceChildren(...found.map(resultItem));
    list.hidden = found.length === 0;
    input.setAttribute("aria-expanded", String(found.length > 0));
    input.removeAttribute("aria-activedescendant");
    hint.textContent =
      question === "" ? "Type a name or a few words." : found.length === 0 ? "Nothing found." : "";
    hint.hidden = found.length > 0;
    selected = -1;
    select(0);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") select(selected + 1);
    else if (event.key === "ArrowUp") select(selected - 1);
    else if (event.key === "Enter" && list.children[selected]) go(list.children[selected]);
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", ({ target }) => {
    const option = target.closest("li");
    if (option) go(option);
  });
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close(); // a click outside the dialog
  });
  return made;
}

function resultItem({ title, kind, detail, to }, at) {
  const item = element("li", { id: `search-result-${at}`, role: "option" });
  item.dataset.to = to;
  item.append(
    element("span", { className: "found", textContent: title }),
    element("span", { className: "kind", textContent: kind }),
  );
  if (detail) item.append(element("span", { className: "detail", textContent: detail }));
  return item;
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
