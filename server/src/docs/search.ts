import MiniSearch from "minisearch";
import type { Heading } from "./markdown.js";

/** One result of the search. */
export interface SearchRecord {
  readonly title: string;
  /** The kind, in one or two words: an endpoint, a field, an error code… */
  readonly kind: string;
  /** The names that people search for. */
  readonly names: string;
  /** Text that distinguishes it from results with the same title. */
  readonly detail: string;
  readonly text: string;
  /** The page and anchor, relative to the folder of the pages. */
  readonly to: string;
}

/** The options of the index. The script in the browser must read the index with the same options. */
const options = {
  fields: ["title", "names", "text"],
  storeFields: ["title", "kind", "detail", "to"],
};

/** The maximum number of characters of a text that are indexed. */
const longestText = 600;

/** The records as a module for the script in the browser: the index, and the options to read it. */
export function searchModule(records: readonly SearchRecord[]): string {
  const index = new MiniSearch<SearchRecord & { id: number }>(options);
  index.addAll(
    records.map(({ names, text, ...record }, id) => ({
      ...record,
      // so that "minutes" finds waitMinutes
      names: `${names} ${names.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")}`,
      text: text.slice(0, longestText),
      id,
    })),
  );
  const json = JSON.stringify(JSON.stringify(index));
  return `export const options = ${JSON.stringify(options)};\nexport const index = ${json};\n`;
}

/** The search records of a guide and of each of its sections. */
export function recordsOfGuide(
  { slug, title, headings }: { slug: string; title: string; headings: readonly Heading[] },
  kind: string,
): SearchRecord[] {
  return [
    { title, kind: "Guide", names: title, detail: "", text: "", to: slug },
    ...headings.map((heading) => ({
      title: heading.title,
      kind,
      names: heading.title,
      detail: title,
      text: heading.text,
      to: `${slug}#${heading.id}`,
    })),
  ];
}
