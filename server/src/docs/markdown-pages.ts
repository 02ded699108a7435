import TurndownService from "turndown";
import type { ApiDocument } from "./api-document.js";
import type { NavGroup, SitePage } from "./layout.js";

/*
 * The pages as Markdown, for programs and for people who paste them: each page by itself, and the two files of the
 * convention at llmstxt.org. Links are absolute, so that they work wherever the text is read.
 */

const converter = new TurndownService({
  headingStyle: "atx",
  codeBlockStyle: "fenced",
  bulletListMarker: "-",
});
// By default each "_" is escaped too, which breaks names such as queue_paused.
converter.escape = (text) => text.replaceAll(/[\\`*<]/g, "\\$&");
converter.remove(["input", "label", "legend"]);

type Replacement = (content: string, node: Parameters<TurndownService.FilterFunction>[0]) => string;

/** Converts the elements with a name, or with a class that begins with a dot. */
function convert(selector: string, replacement: Replacement): void {
  const filter: TurndownService.FilterFunction = (node) =>
    selector === node.nodeName.toLowerCase() || selector === `.${node.getAttribute("class")}`;
  converter.addRule(selector, { filter, replacement });
}

const block = (text: string) => `\n\n${text.trim()}\n\n`;
const cell = (text: string) => ` ${text.trim().replaceAll("|", "\\|").replaceAll("\n", " ")} |`;

convert(".anchor", (content) => content);
convert(".named", (content) => content.trim());
convert(".note", (content) => `: ${content.trim()}`);
convert("summary", (content) => block(`**${content}**`));
convert("fieldset", block);
convert("dl", block);
convert("dt", (content) => `- **${content}**: `);
convert("dd", (content) => `${content.trim()}\n`);
convert("pre", (_content, node) => {
  const language = (node.getAttribute("data-language") ?? "").replace("curl", "sh");
  return block(`\`\`\`${language}\n${node.textContent}\n\`\`\``);
});
convert("th", cell);
convert("td", cell);
convert("tr", (content) => `|${content}\n`);
convert("thead", (content) => content);
convert("tbody", (content) => content);
convert("table", (content, node) => {
  const rows = content.trim().split("\n");
  const columns = node.querySelector("tr")?.children.length ?? 0;
  const head = node.querySelector("th") ? rows.shift() : `|${"   |".repeat(columns)}`;
  return block([head, `|${" --- |".repeat(columns)}`, ...rows].join("\n"));
});

/** A page as Markdown. `docsUrl`: the address of the pages. */
export function markdownOf({ slug, title, body }: SitePage, docsUrl: string): string {
  const shown = body.text
    .replaceAll(/<!--sandbox-->.*?<!--\/sandbox-->/gs, "")
    .replaceAll(
      /(href|src)="([^"]*)"/g,
      (_, attribute, link) => `${attribute}="${addressOf(link, slug, docsUrl)}"`,
    );
  return `# ${title}\n\n${converter.turndown(shown)}\n`;
}

/**
 * The absolute address for a link of a page. Links to pages lead to their Markdown. The overview has a name of its own:
 * `docsUrl` may have no path that could end in `.md`.
 */
function addressOf(link: string, slug: string, docsUrl: string): string {
  const url = new URL(link.startsWith("#") ? slug + link : link, `${docsUrl}/`);
  const isOverview = url.href.replace(/#.*$/, "") === docsUrl;
  if (isOverview) url.pathname += "/index.md";
  else if (url.href.startsWith(`${docsUrl}/`) && !url.pathname.includes(".")) url.pathname += ".md";
  return url.href;
}

/** `/llms.txt`: what the service is, and each page of the navigation with a note. */
export function llmsTxt(
  { info }: ApiDocument,
  nav: readonly NavGroup[],
  pages: ReadonlyMap<string, string>,
  docsUrl: string,
): string {
  const groups = nav.flatMap(({ title, links }) => {
    const listed = links.flatMap(({ to, label }) => {
      const markdown = pages.get(to);
      const address = addressOf(to || docsUrl, "", docsUrl);
      return markdown ? [`- [${label}](${address}): ${introductionOf(markdown)}`] : [];
    });
    return listed.length > 0 ? [`## ${title}\n\n${listed.join("\n")}`] : [];
  });
  const about = `Each page is Markdown; its address without \`.md\` is the same page for people. ${docsUrl.replace(/\/docs$/, "")}/llms-full.txt has all of them.`;
  return `${["# Queue API", `> ${info.summary}`, info.description, about, ...groups].join("\n\n")}\n`;
}

/** The first sentence of a page; for an endpoint after its method and path. */
function introductionOf(markdown: string): string {
  const [, first = "", second = ""] = markdown.split("\n\n");
  const sentenceOf = (text: string) => /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text;
  return /^(GET|POST) /.test(first) ? `${first}: ${sentenceOf(second)}` : sentenceOf(first);
}
