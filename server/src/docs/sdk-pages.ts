import { type Html, html } from "../lib/html.js";
import { codeBlock } from "./highlight.js";
import type { SitePage } from "./layout.js";
import { anchored, paragraphs, wordsOf } from "./markdown.js";
import type { Comment, Declared, DeclaredModule, Member } from "./sdk-declarations.js";
import type { SearchRecord } from "./search.js";

const slug = "sdk-reference";

interface Section {
  readonly id: string;
  readonly title: string;
  readonly declared: readonly Declared[];
  /** The prefix of the anchors of its parts, because modules have exports with the same name. */
  readonly prefix: string;
}

/** The page that explains every export of the SDK, and its records for the search. */
export function sdkReference(modules: readonly DeclaredModule[]): {
  page: SitePage;
  records: SearchRecord[];
} {
  const sections = modules.flatMap(sectionsOf);
  const body = html`<p>Made from the doc comments of the package. The <a href="sdk">guide</a> explains how its parts work together.</p>
${sections.map(
  ({ id, title, declared, prefix }) => html`${anchored(2, id, html`${title}`)}
${declared.map((one) => declaredSection(one, prefix))}`,
)}`;
  const contents = sections.flatMap(({ id, title, declared }) => [
    { id, title },
    ...declared
      .filter(({ path }) => path.startsWith("api."))
      .map(({ path }) => ({ id: path, title: path })),
  ]);
  return {
    page: { slug, title: "SDK reference", body, contents },
    records: sections.flatMap(({ declared, prefix }) =>
      declared.flatMap((one) => recordsOf(one, prefix)),
    ),
  };
}

/** The sections of a module: the package itself is grouped by purpose, a subpath is one section. */
function sectionsOf({ name, declared }: DeclaredModule, at: number): Section[] {
  if (at > 0) {
    const id = name.replace(/^.*\//, "");
    return [{ id, title: name, declared, prefix: `${id}.` }];
  }
  const isError = ({ ancestors }: Declared) => ancestors.includes("Error");
  const classes = declared.filter(({ kind }) => kind === "class");
  const parts = [
    { id: "client", title: "Client", declared: classes.filter((one) => !isError(one)) },
    { id: "errors", title: "Errors", declared: classes.filter(isError) },
    { id: "types", title: "Types", declared: declared.filter(({ kind }) => kind !== "class") },
  ];
  return parts.filter((part) => part.declared.length > 0).map((part) => ({ ...part, prefix: "" }));
}

function declaredSection(one: Declared, prefix: string): Html {
  const { path, name, signature, comment, ancestors, members, kind } = one;
  const methods = kind === "class" ? members.filter((member) => member.kind === "method") : [];
  const properties = members.filter(
    (member) => member.kind === "property" && (kind === "class" || member.comment.text !== ""),
  );
  return html`${anchored(3, prefix + path, html`<code>${path}</code>`)}
${path !== name && html`<p class="soft" id="${prefix}${name}">The class <code>${name}</code>.</p>`}
${ancestors.length > 0 && html`<p class="soft">Extends ${ancestors.map((ancestor, at) => html`${at > 0 && ", "}<code>${ancestor}</code>`)}.</p>`}
${signature !== "" && codeBlock(signature, "ts")}
${commentOf(comment)}
${
  properties.length > 0 &&
  html`<ul class="fields">
${properties.map((member) => propertyItem(prefix + path, member))}</ul>
`
}${methods.map((member) => methodSection(path, prefix, member))}`;
}

function methodSection(owner: string, prefix: string, { name, signature, comment }: Member): Html {
  return html`${anchored(4, `${prefix}${owner}.${name}`, html`<code>${owner}.${name}()</code>`)}
${codeBlock(signature, "ts")}
${commentOf(comment)}`;
}

function propertyItem(owner: string, { name, signature, comment }: Member): Html {
  const type = signature.replace(/^[^:]*:\s*/s, "").replace(/;$/, "");
  const anchor = `${owner}.${name}`;
  return html`<li id="${anchor}"><div class="field"><a class="anchor" href="#${anchor}"><code>${name}</code></a> <span class="type"><code>${type}</code></span></div>${comment.text !== "" && html`<div class="note">${paragraphs(comment.text)}</div>`}</li>
`;
}

function commentOf({ text, throws, examples }: Comment): Html {
  return html`${paragraphs(text)}
${
  throws.length > 0 &&
  html`<p>Throws:</p>
<ul>
${throws.map(
  (one) => html`<li>${paragraphs(one.replace(/^\{?(\w+)\}?/, "`$1`:"))}</li>
`,
)}</ul>
`
}
${examples.map((example) => codeBlock(example, "ts"))}`;
}

function recordsOf({ path, comment, members, kind }: Declared, prefix: string): SearchRecord[] {
  const record = (title: string, text: string): SearchRecord => ({
    title,
    kind: "SDK",
    names: title,
    detail: "",
    text: wordsOf(paragraphs(text).text),
    to: `${slug}#${prefix}${title}`,
  });
  const findable = kind === "class" ? members : members.filter((one) => one.comment.text !== "");
  return [
    record(path, comment.text),
    ...findable.map((member) => record(`${path}.${member.name}`, member.comment.text)),
  ];
}
