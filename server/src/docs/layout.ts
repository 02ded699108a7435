import { type Html, html } from "../lib/html.js";

/** A page of the reference. Its links are relative to the folder of the pages, at any depth. */
export interface SitePage {
  /** The address below `/docs/`; empty for the first page. */
  readonly slug: string;
  readonly title: string;
  /** The line above the title: the kind of page. */
  readonly kicker?: string;
  readonly body: Html;
  /** What the search calls it; omitted if it is not searched. */
  readonly kind?: "Guide" | "Error" | "Endpoint" | "Schema" | "SDK" | "SDK guide";
  /** Further names that people search for. */
  readonly names?: string;
  /** What the search shows below its title and its parts. Default: nothing, and the title. */
  readonly detail?: string;
  /** Headings that are listed next to the page; empty for a short page. */
  readonly contents?: readonly { readonly id: string; readonly title: string }[];
  /** Scripts that only this page loads. */
  readonly scripts?: readonly string[];
}

/** A group of the navigation. */
export interface NavGroup {
  readonly title: string;
  readonly links: readonly NavLink[];
}

interface NavLink {
  /** The slug of the page, with an optional anchor. */
  readonly to: string;
  readonly label: string;
  readonly method?: string;
  /** Whether the link appears only if the pages can send requests to a sandbox. */
  readonly sandbox?: boolean;
}

/** The files that each page loads, by name in the folder of the pages. */
type Assets = Readonly<Record<"style" | "icon" | "script", string>>;

/** Marks content that needs a sandbox. A service without a sandbox removes it. */
export function sandboxOnly(content: Html): Html {
  return html`<!--sandbox-->${content}<!--/sandbox-->`;
}

/**
 * The HTML document around each page. `markdown`: the page as Markdown, or null. The document contains it, because a
 * script of these pages may send no request.
 */
export function frame(
  page: SitePage,
  nav: readonly NavGroup[],
  assets: Assets,
  markdown: string | null,
): string {
  const { slug, title, kicker, body, contents = [], scripts = [] } = page;
  const { text } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${slug === "" ? title : `${title} · Queue API`}</title>
<link rel="icon" href="${assets.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style}">
${
  markdown &&
  html`<link rel="alternate" type="text/markdown" href="${slug || "index"}.md">
`
}${[assets.script, ...scripts].map(
  (script) => html`<script type="module" src="${script}"></script>
`,
)}</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="home" href="../docs"><img src="${assets.icon}" alt="" width="28" height="28"><span>Queue API</span></a>
<button type="button" class="search-button" hidden>Search <kbd>/</kbd></button>
<button type="button" class="menu-button" popovertarget="nav">Menu</button>
</header>
<div class="frame">
<nav id="nav" class="nav" popover aria-label="Documentation">
${nav.map((group) => navGroup(group, slug))}</nav>
<main id="content"${contents.length > 0 && html` class="with-contents"`}>
<div class="title">${kicker && html`<p class="kicker">${kicker}</p>`}
<h1>${title}</h1>
${markdown && html`<button type="button" class="copy-page" hidden>Copy as Markdown</button>`}</div>
${contents.length > 0 && contentsList(contents)}<div class="body">
${body}</div>
</main>
</div>
${
  markdown &&
  html`<template id="markdown">${markdown}</template>
`
}<dialog class="search" aria-label="Search">
<input type="text" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" aria-label="Search the documentation" placeholder="Endpoints, fields, errors, guides" autocomplete="off" spellcheck="false">
<ul class="found" id="found" role="listbox" aria-label="Results"></ul>
<p class="hint" role="status">Type a name or a few words.</p>
</dialog>
</body>
</html>
`;
  return fromPage(text, slug);
}

function navGroup({ title, links }: NavGroup, current: string): Html {
  const items = links.map(({ to, label, method, sandbox }) => {
    const link = html`<li><a href="${to || "../docs"}"${to === current && html` aria-current="page"`}>${label}${method && html` <span class="method ${method.toLowerCase()}">${method}</span>`}</a></li>
`;
    return sandbox ? sandboxOnly(link) : link;
  });
  return html`<p class="small-title">${title}</p>
<ul>
${items}</ul>
`;
}

function contentsList(contents: NonNullable<SitePage["contents"]>): Html {
  const items = contents.map(
    ({ id, title }) => html`<li><a href="#${id}">${title}</a></li>
`,
  );
  return html`<nav class="card contents" aria-label="On this page"><p class="small-title">On this page</p><ul>
${items}</ul></nav>
`;
}

/**
 * The folder of the pages for the page that has any address. `http/docs.ts` replaces the placeholder by the path of
 * the service.
 */
const fromAnywhere = "{{root}}/docs/";

/**
 * Rewrites relative links for the address of the page. In the source they are relative to the folder of the
 * pages.
 */
function fromPage(text: string, slug: string): string {
  const upwards = slug === "" ? "docs/" : "../".repeat(slug.split("/").length - 1);
  const folder = slug === "404" ? fromAnywhere : upwards;
  return text.replaceAll(
    /(href|src)="(?![a-z]+:|#|\/)([^"]*)"/g,
    (_, attribute: string, link: string) =>
      `${attribute}="${`${folder}${link}`.replace(/docs\/\.\.\//, "")}"`,
  );
}
