import { type Html, html } from "../lib/html.js";
import { item, list } from "./fields.js";
import { codeBlock } from "./highlight.js";
import type { SitePage } from "./layout.js";
import { anchored, paragraphs } from "./markdown.js";
import type { Declared, DeclaredModule } from "./sdk-declarations.js";

/** The page that explains every export of the SDK. */
export function sdkReference(modules: readonly DeclaredModule[]): SitePage {
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
  return { slug: "sdk-reference", title: "SDK reference", kind: "SDK", body, contents };
}

/**
 * The sections of a module: the package itself is grouped by purpose, a subpath is one section. Anchors have its prefix,
 * because modules have exports with the same name.
 */
function sectionsOf({ name, declared }: DeclaredModule, at: number) {
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
  const methods = members.filter((member) => kind === "class" && member.kind === "method");
  const properties = members.filter(
    (member) => member.kind === "property" && (kind === "class" || member.comment.trim() !== ""),
  );
  return html`${anchored(3, prefix + path, html`<code>${path}</code>`)}
${path !== name && html`<p class="soft" id="${prefix}${name}">The class <code>${name}</code>.</p>`}
${ancestors.length > 0 && html`<p class="soft">Extends ${ancestors.map((ancestor, at) => html`${at > 0 && ", "}<code>${ancestor}</code>`)}.</p>`}
${signature !== "" && codeBlock(signature, "ts")}
${paragraphs(comment)}
${properties.length > 0 && list(properties.map((member) => propertyItem(member, prefix)))}
${methods.map(
  (method) => html`${anchored(4, prefix + method.path, html`<code>${method.path}()</code>`)}
${codeBlock(method.signature, "ts")}
${paragraphs(method.comment)}`,
)}`;
}

function propertyItem({ name, path, signature, comment }: Declared, prefix: string): Html {
  const type = signature.replace(/^[^:]*:\s*/s, "").replace(/;$/, "");
  return item(
    html`<code>${name}</code>`,
    html`<code>${type}</code>`,
    paragraphs(comment),
    prefix + path,
  );
}
