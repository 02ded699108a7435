import highlighter from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import http from "highlight.js/lib/languages/http";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import { Html, html } from "../lib/html.js";

highlighter.configure({ classPrefix: "c-" });
const languages = { sh: bash, go, http, json, py: python, ts: typescript, js: typescript };
for (const [name, language] of Object.entries(languages)) {
  highlighter.registerLanguage(name, language);
}

/** Highlighted code: spans with classes that the style sheet defines. An unknown language stays plain. */
function highlighted(code: string, language: string | undefined): Html {
  if (!language || !Object.hasOwn(languages, language)) return html`${code}`;
  return new Html(highlighter.highlight(code, { language }).value);
}

/** A block of code. It scrolls on its own, so the keyboard must be able to focus it. */
export function codeBlock(code: string, language?: string): Html {
  return html`<pre tabindex="0"><code>${highlighted(code.trimEnd(), language)}</code></pre>
`;
}

/** A value as JSON. */
export function jsonBlock(value: unknown): Html {
  return codeBlock(JSON.stringify(value, null, 2), "json");
}
