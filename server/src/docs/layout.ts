import { type Html, html } from "../html.js";
import type { Heading } from "./markdown.js";

/** A page in the list that each page shows. */
interface PageLink {
  readonly slug: string;
  readonly title: string;
}

export interface Layout {
  readonly title: string;
  readonly body: Html;
  readonly pages: readonly PageLink[];
  /** The page's own slug; empty for the first page. */
  readonly current: string;
  /** What leads from this page's address to the folder of the pages: empty, or `docs/` on the first page. */
  readonly folder: string;
  /** Headings to list at the top; none for a short page. */
  readonly contents?: readonly Heading[];
}

/** The frame around each page. Its links are relative, so that it works below any address. */
export function page({ title, body, pages, current, folder, contents = [] }: Layout): string {
  const home = current === "" ? "docs" : "../docs";
  const links = pages.map(
    ({ slug, title }) =>
      html`<li><a href="${folder}${slug}"${current === slug && html` aria-current="page"`}>${title}</a></li>
`,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === "Queue API" ? title : `${title} · Queue API`}</title>
<link rel="icon" href="${folder}icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${folder}style.css">
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header>
<a class="home" href="${home}">Queue API</a>
<nav aria-label="Pages"><ul>
${links}</ul></nav>
</header>
<main id="content">
<h1>${title}</h1>
${contents.length > 0 && contentsList(contents)}${body}</main>
</body>
</html>
`.text;
}

function contentsList(contents: readonly Heading[]): Html {
  const items = contents.map(
    ({ id, title }) => html`<li><a href="#${id}">${title}</a></li>
`,
  );
  return html`<nav class="contents" aria-label="On this page"><ul>
${items}</ul></nav>
`;
}
