import { Marked } from "marked";
import { escapeHtml, Html } from "../lib/html.js";
import { codeBlock } from "./highlight.js";
import type { SitePage } from "./layout.js";

/**
 * Renders a trusted page, whose first heading is its title. Each heading has an id and a link to itself. `linkTo` gives
 * the target of a link, `below` what to insert below the heading of the second level with an id.
 */
export function renderMarkdown(
  text: string,
  linkTo = (href: string) => href,
  below = (_id: string): Html | null => null,
): Required<Pick<SitePage, "title" | "body" | "contents">> {
  const contents: { id: string; title: string }[] = [];
  let title = "";
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens);
        const words = wordsOf(this.parser.parseInline(tokens, this.parser.textRenderer));
        if (depth === 1) {
          title = words;
          return "";
        }
        const id = anchorOf(words);
        const { text } = anchored(depth, id, new Html(content));
        if (depth > 2) return text;
        contents.push({ id, title: words });
        return text + (below(id)?.text ?? "");
      },
      link({ href, tokens }) {
        const target = escapeHtml(linkTo(href));
        return `<a href="${target}">${this.parser.parseInline(tokens)}</a>`;
      },
      code({ text: code, lang }) {
        return codeBlock(code, lang).text;
      },
    },
  });
  const body = new Html(scrollable(marked.parse(text, { async: false })));
  return { title, body, contents };
}

/** A heading with a link to itself. */
export function anchored(depth: number, id: string, content: Html): Html {
  const inner = content.text.includes("<a ")
    ? content.text
    : `<a class="anchor" href="#${id}">${content.text}</a>`;
  return new Html(`<h${depth} id="${id}">${inner}</h${depth}>\n`);
}

/** Inline Markdown, as in the descriptions of the OpenAPI document. */
export function inlineMarkdown(text: string): Html {
  return new Html(new Marked().parseInline(text, { async: false }));
}

/** Paragraphs of Markdown, without headings. */
export function paragraphs(text: string): Html {
  return renderMarkdown(text).body;
}

/** The words of HTML. */
export function wordsOf(body: string): string {
  return body
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The anchor of a heading: `queue_paused` is unchanged, spaces become dashes. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .trim()
    .replace(/\s+/g, "-");
}

/** Lets a wide table scroll instead of the page, and removes the head row of a table without headings. */
function scrollable(body: string): string {
  return body
    .replaceAll(/<thead>\s*<tr>(\s*<th>\s*<\/th>)+\s*<\/tr>\s*<\/thead>/g, "")
    .replaceAll("<table>", '<div class="scrolls" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
}
