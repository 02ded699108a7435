import type { Response } from "express";
import { type Html, html } from "../lib/html.js";
import { formToken } from "./accounts/form-token.js";
import type { View } from "./layout.js";
import { dashboardPath } from "./request.js";

/** A question before an act that cannot be undone. Paths are relative to the dashboard. */
export interface Question {
  /** The heading, such as "Revoke this key?". */
  readonly title: string;
  /** What will happen, in whole sentences. */
  readonly text: Html;
  /** The path that "yes" is posted to. */
  readonly action: string;
  readonly yes: string;
  readonly no: string;
  /** Where "no" leads. */
  readonly back: string;
  /** The name and the value of the "yes" button. Default: none. */
  readonly value?: readonly [name: string, value: string];
}

/** The page that asks a question. */
export function ask(res: Response, question: Question): View {
  const { title, text, action, yes, no, back, value } = question;
  const body = html`<form class="card alone" method="post" action="${dashboardPath(res, action)}">
${formToken(res)}<p>${text}</p>
<div class="actions"><button class="danger"${value && html` name="${value[0]}" value="${value[1]}"`}>${yes}</button><a class="button" href="${dashboardPath(res, back)}">${no}</a></div>
</form>
`;
  return { title, body };
}
