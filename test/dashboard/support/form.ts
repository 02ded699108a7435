import type { PageAnswer, Visitor } from "./visitor.js";

/** What is filled into a form; several of one name for boxes that are ticked. */
export type Filled = Readonly<Record<string, string | readonly string[]>>;

/** Sends a form with the token of the page that was seen last. */
export function fill(visitor: Visitor, path: string, fields: Filled = {}): Promise<PageAnswer> {
  const body = new URLSearchParams({ form_token: visitor.formToken });
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) body.append(name, value);
  }
  return visitor.send("POST", path, body.toString());
}

/** Sends a form, and follows to the page that it leads to. */
export async function fillAndFollow(
  visitor: Visitor,
  path: string,
  fields: Filled = {},
): Promise<PageAnswer> {
  const { status, location } = await fill(visitor, path, fields);
  if (status !== 303 || location === null) throw new Error(`the form led nowhere: ${status}`);
  return visitor.get(location);
}
