import MiniSearch from "minisearch";
import type { SitePage } from "./layout.js";
import { wordsOf } from "./markdown.js";

/**
 * One result of the search. `names` are what people search for, `detail` distinguishes it from results with the same
 * title, and `to` is its page and anchor, relative to the folder of the pages.
 */
type SearchRecord = Readonly<Record<"title" | "kind" | "names" | "detail" | "text" | "to", string>>;

/** The options of the index. The script in the browser must read the index with the same options. */
const options = {
  fields: ["title", "names", "text"],
  storeFields: ["title", "kind", "detail", "to"],
};

/** The maximum number of characters of a text that are indexed. */
const maxTextLength = 600;

/** Everything that the search finds, as a module for the script in the browser: the index, and the options to read it. */
export function searchModule(pages: readonly SitePage[]): string {
  const index = new MiniSearch<SearchRecord & { id: number }>(options);
  index.addAll(
    pages.flatMap(recordsOf).map(({ names, text, ...record }, id) => ({
      ...record,
      // so that "minutes" finds waitMinutes, and "retry" finds Retries
      names: `${names} ${names.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")} ${names.replaceAll(/ies\b/g, "y")}`,
      text: text.slice(0, maxTextLength),
      id,
    })),
  );
  const json = JSON.stringify(JSON.stringify(index));
  return `export const options = ${JSON.stringify(options)};\nexport const index = ${json};\n`;
}

/** The records of a page: itself, and each heading and item with an id. Samples are not searched. */
function recordsOf(page: SitePage): SearchRecord[] {
  const { slug, title, kind, names = "", detail = "" } = page;
  if (!kind) return [];
  const searched = page.body.text.replaceAll(/<aside.*?<\/aside>/gs, "");
  const [intro = "", ...parts] = searched.split(/(?=<(?:h[2-4]|li) id=")/);
  const own = {
    title,
    kind,
    detail,
    names: `${title} ${names} ${detail}`,
    text: wordsOf(intro),
  };
  const records = parts.flatMap((part): SearchRecord[] => {
    const [start = "", tag = "", id = ""] =
      /^<(\w+) id="([^"]+)".*?<\/(?:h\d|div)>/s.exec(part) ?? [];
    const found = kindOf(kind, tag, id);
    if (found === null) return [];
    const name = kind === "SDK" || tag === "li" ? id.replace(/^body\./, "") : wordsOf(start);
    const text = wordsOf(part.slice(start.length));
    const within = detail || (kind === "Schema" ? (id.split(".")[0] ?? "") : title);
    return [{ title: name, kind: found, names: name, detail: within, text, to: `${slug}#${id}` }];
  });
  return [{ ...own, to: slug }, ...records];
}

/** The kind of a part of a page. Null for headings that only divide the page. */
function kindOf(page: NonNullable<SitePage["kind"]>, tag: string, id: string): string | null {
  if (page === "Endpoint" && tag === "li")
    return id.startsWith("body.") ? "Body field" : "Parameter";
  if (page === "Endpoint" || (page === "SDK" && tag === "h2") || id === "all-codes") return null;
  return page === "Schema" && tag === "li" ? "Field" : page;
}
