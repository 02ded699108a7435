import { Marked } from "marked";
import { escapeHtml, Html } from "../html.js";

/** A heading of a page, to be linked to. */
export interface Heading {
  readonly id: string;
  readonly title: string;
}

/** A page of Markdown as HTML. */
export interface Rendered {
  /** Text of its first heading, which is not part of the body. */
  readonly title: string;
  readonly body: Html;
  /** Its headings of the second level. */
  readonly headings: readonly Heading[];
}

export interface MarkdownOptions {
  /** Put after a heading of the second level, by the heading's id. */
  readonly afterHeading?: (id: string) => Html | null;
}

/** Renders a page of our own. Headings get an id; a link to `errors.md` leads to the page `errors`. */
export function renderMarkdown(text: string, { afterHeading }: MarkdownOptions = {}): Rendered {
  const headings: Heading[] = [];
  let title = "";
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const content = this.parser.parseInline(tokens);
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = anchorOf(plain);
        if (depth === 1) {
          title = plain;
          return "";
        }
        if (depth === 2) headings.push({ id, title: plain });
        const heading = `<h${depth} id="${id}">${content}</h${depth}>\n`;
        return depth === 2 ? heading + (afterHeading?.(id)?.text ?? "") : heading;
      },
      link({ href, tokens }) {
        const target = escapeHtml(href.replace(/^([\w-]+)\.md(?=#|$)/, "$1"));
        return `<a href="${target}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
  const body = marked.parse(text, { async: false });
  return { title, headings, body: new Html(scrollable(body)) };
}

/** Markdown inside a line, as descriptions of the OpenAPI document are written. */
export function inlineMarkdown(text: string): Html {
  return new Html(new Marked().parseInline(text, { async: false }));
}

/** Paragraphs of Markdown. */
export function paragraphs(text: string): Html {
  return new Html(new Marked().parse(text, { async: false }));
}

/** The anchor of a heading: `queue_paused` stays as it is, spaces become dashes. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .trim()
    .replace(/\s+/g, "-");
}

/** Wide tables and code scroll by themselves, so that the page does not; the keyboard reaches them too. */
function scrollable(body: string): string {
  return body
    .replaceAll("<pre>", '<pre tabindex="0">')
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
}
