import { Marked } from "marked";
import { escapeHtml, Html } from "../lib/html.js";
import { codeBlock } from "./highlight.js";

/** A heading of a page, to be linked to. */
export interface Heading {
  readonly id: string;
  readonly title: string;
  readonly depth: number;
  /** The words below it, up to the next heading. */
  readonly text: string;
}

/** A page of Markdown as HTML. */
export interface Rendered {
  /** Text of its first heading, which is not part of the body. */
  readonly title: string;
  readonly body: Html;
  /** Its headings, the first one left out. */
  readonly headings: readonly Heading[];
}

export interface MarkdownOptions {
  /** Put after a heading of the second level, by the heading's id. */
  readonly afterHeading?: (id: string) => Html | null;
  /** Where a link leads. Default: where it says. */
  readonly linkTo?: (href: string) => string;
}

/** Renders a page of our own. Each heading gets an id and links to itself. */
export function renderMarkdown(
  text: string,
  { afterHeading, linkTo = (href) => href }: MarkdownOptions = {},
): Rendered {
  const headings: { id: string; title: string; depth: number; text: string }[] = [];
  let title = "";
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens);
        const plain = plainText(this.parser.parseInline(tokens, this.parser.textRenderer));
        const id = anchorOf(plain);
        if (depth === 1) {
          title = plain;
          return "";
        }
        headings.push({ id, title: plain, depth, text: "" });
        const { text } = anchored(depth, id, new Html(content));
        return depth === 2 ? text + (afterHeading?.(id)?.text ?? "") : text;
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
  const body = scrollable(marked.parse(text, { async: false }));
  return {
    title,
    headings: headings.map((heading) => ({ ...heading, text: wordsBelow(body, heading.id) })),
    body: new Html(body),
  };
}

/** A heading that links to itself. */
export function anchored(depth: number, id: string, content: Html): Html {
  const inner = content.text.includes("<a ")
    ? content.text
    : `<a class="anchor" href="#${id}">${content.text}</a>`;
  return new Html(`<h${depth} id="${id}">${inner}</h${depth}>\n`);
}

/** Markdown inside a line, as descriptions of the OpenAPI document are written. */
export function inlineMarkdown(text: string): Html {
  return new Html(new Marked().parseInline(text, { async: false }));
}

/** Paragraphs of Markdown. */
export function paragraphs(text: string): Html {
  return new Html(new Marked().parse(text, { async: false }));
}

/** The words of some HTML, for the search. */
export function wordsOf(body: string): string {
  return plainText(body.replaceAll(/<[^>]*>/g, " "))
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** The words from a heading to the next one. */
function wordsBelow(body: string, id: string): string {
  const [, below = ""] = body.split(new RegExp(`<h\\d id="${id}">.*?</h\\d>`, "s"));
  return wordsOf(below.split(/<h\d id=/)[0] ?? "");
}

function plainText(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

/** The anchor of a heading: `queue_paused` stays as it is, spaces become dashes. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .trim()
    .replace(/\s+/g, "-");
}

/** Wide tables scroll by themselves, so that the page does not. A table without headings has none that are empty. */
function scrollable(body: string): string {
  return body
    .replaceAll(/<thead>\s*<tr>(\s*<th>\s*<\/th>)+\s*<\/tr>\s*<\/thead>/g, "")
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
}
