import MiniSearch from "minisearch";
import type { Heading } from "./markdown.js";

/** Something that the search finds. */
export interface SearchRecord {
  readonly title: string;
  /** What it is, in a word: an endpoint, a field, an error code… */
  readonly kind: string;
  /** The names that people look for it by. */
  readonly names: string;
  /** What tells it from others of its title. */
  readonly detail: string;
  readonly text: string;
  /** Its page and anchor, from the folder of the pages. */
  readonly to: string;
}

/** How the index is made, and how the script in the browser must read it. */
const options = {
  fields: ["title", "names", "text"],
  storeFields: ["title", "kind", "detail", "to"],
};

/** The most words of a text that are searched. */
const longestText = 600;

/** The records as a module that the script in the browser loads: the index, and how it is read. */
export function searchModule(records: readonly SearchRecord[]): string {
  const index = new MiniSearch<SearchRecord & { id: number }>(options);
  index.addAll(
    records.map(({ names, text, ...record }, id) => ({
      ...record,
      names: `${names} ${names.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")}`, // waitMinutes is found by minutes too
      text: text.slice(0, longestText),
      id,
    })),
  );
  const json = JSON.stringify(JSON.stringify(index));
  return `export const options = ${JSON.stringify(options)};\nexport const index = ${json};\n`;
}

/** A guide and each of its sections. */
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
