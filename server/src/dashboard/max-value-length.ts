import type { RequestHandler } from "express";
import { PageError } from "./page-error.js";

/** The maximum length of a value that a form or an address sends, in UTF-16 units, as `maxlength` counts them. */
export const maxValueLength = 256;

/** Fields with limits of their own, and `replaces`, which is only compared with a setting. */
const longFields = new Set(["allowIps", "notes", "replaces"]);

/**
 * Refuses a request with a longer value. `maxlength` binds browsers alone, and the cost of a page, such as a search,
 * can follow the length of what it is asked for.
 */
export const boundedValues: RequestHandler = (req, _res, next) => {
  const values = [req.query, req.body ?? {}].flatMap((sent: object) => Object.entries(sent));
  const isLong = ([name, value]: [string, unknown]) =>
    !longFields.has(name) && [value].flat().some((one) => String(one).length > maxValueLength);
  if (!values.some(isLong)) return next();
  const advice = `A field takes at most ${maxValueLength} characters, so nothing was changed. Go back, shorten it and send it again.`;
  throw new PageError(400, "Too long", advice);
};
