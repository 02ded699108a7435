import type { Response } from "express";
import { html } from "../../lib/html.js";
import { formToken } from "../accounts/form-token.js";
import { inputs, untouchedForm } from "../forms.js";
import { halfAYearMs, hostCookie } from "../host-cookie.js";
import { dashboardPath } from "../request.js";
import { done, type Redirect, type Visit } from "../visit.js";

/** The longest name of a counter, in characters. */
const maxNameLength = 40;

const cookie = hostCookie("queue_api_counter", { sameSite: "strict", maxAge: halfAYearMs });

/** The name of the counter that a browser is used at; null when it has none. */
export function counterOf(res: Response): string | null {
  return counterName(cookie.read(res) ?? "");
}

/**
 * A name in its stored form: one line without control characters, but with the joiners that emoji and some scripts need.
 * Null if empty or too long.
 */
function counterName(text: string): string | null {
  const name = text.replace(/(?:(?![\u200c\u200d])[\p{C}\p{Z}])+/gu, " ").trim();
  return !/[^\p{Cf}\p{Z}]/u.test(name) || [...name].length > maxNameLength ? null : name;
}

/** `POST /board/counter`: stores the name in this browser, or removes it when it is empty. */
export function nameCounter({ req, res, audit }: Visit): Redirect {
  audit?.setPath("/board/counter"); // only this browser changes, so nothing is recorded
  const name = counterName(String(req.body?.counter ?? ""));
  if (name === null) cookie.clear(res);
  else cookie.set(res, name);
  const what =
    name === null ? "This browser has no counter." : `Calls from this browser now name ${name}.`;
  const { head, form } = counterMenu(res, name);
  return { ...done(what, ""), piece: html`${head}${form}` };
}

/** What shows and names the counter of this browser: the head of a menu, and a form. */
export function counterMenu(res: Response, counter: string | null) {
  const hint = "Calls from this browser show it, such as “counter 2”. Leave it empty for none.";
  const field = { name: "counter", label: "Counter", hint, maxLength: maxNameLength };
  return {
    head: html`<summary id="counter-head">${counter ?? "This screen"}</summary>`,
    form: html`<form id="counter-form" method="post" action="${dashboardPath(res, "/board/counter")}">${formToken(res)}${inputs(untouchedForm).text({ ...field, value: counter })}<div class="actions"><button class="button">Save</button></div></form>
`,
  };
}
