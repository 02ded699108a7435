import highlighter from "highlight.js";
import { Html, html } from "../lib/html.js";

highlighter.configure({ classPrefix: "c-" });
highlighter.registerAliases("curl", { languageName: "bash" });

/** Highlighted code: spans with classes that the style sheet defines. An unknown language stays plain. */
function highlighted(code: string, language = ""): Html {
  if (!highlighter.getLanguage(language)) return html`${code}`;
  return new Html(highlighter.highlight(code, { language }).value);
}

/** A block of code. It scrolls on its own, so the keyboard must be able to focus it. */
export function codeBlock(code: string, language?: string): Html {
  return html`<pre tabindex="0"${language && html` data-language="${language}"`}><code>${highlighted(code.trimEnd(), language)}</code></pre>
`;
}
