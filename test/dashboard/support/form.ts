import type { PageAnswer, Visitor } from "./visitor.js";

/** The values of a form. Several values of one name are ticked boxes. */
export type Filled = Readonly<Record<string, string | readonly string[]>>;

/** Sends a form with the form token of the last page. */
export function fill(visitor: Visitor, path: string, fields: Filled = {}): Promise<PageAnswer> {
  const body = new URLSearchParams({ form_token: visitor.formToken });
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) body.append(name, value);
  }
  return visitor.send("POST", path, body.toString());
}

/** Sends a form, and follows its redirect. */
export async function fillAndFollow(
  visitor: Visitor,
  path: string,
  fields: Filled = {},
): Promise<PageAnswer> {
  const { status, location } = await fill(visitor, path, fields);
  if (status !== 303 || location === null) throw new Error(`the form led nowhere: ${status}`);
  return visitor.get(location);
}
