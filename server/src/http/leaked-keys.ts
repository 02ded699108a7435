import { holdsKey } from "../rules/key.js";
import { invalidField } from "../rules/refusal.js";
import type { Store } from "../store/store.js";
import { reportSignInWindow } from "./admission.js";
import type { Step } from "./steps.js";

const advice = "must not hold an API key; send it in the Authorization header";

/** Refuses a request with a key in its URL, valid or not, before any other check. */
export function keyInUrl(store: Store): Step {
  return (req, res) => {
    const place = placeOfKey(req.url);
    if (place === null) return undefined;
    return reportSignInWindow(store, res).then(() => {
      throw invalidField(place, advice);
    });
  };
}

/** Whether a URL contains text with the shape of a key. */
export function hasKeyInUrl(url: string): boolean {
  return placeOfKey(url) !== null;
}

/** Where a URL contains text with the shape of a key: a query parameter, `path` or `query`; null if nowhere. */
function placeOfKey(url: string): string | null {
  if (!holdsKey(url) && !(url.includes("%") && holdsKey(decoded(url)))) return null;
  const [path = "", query = ""] = url.split(/\?(.*)/s, 2);
  if (holdsKey(decoded(path))) return "path";
  for (const [name, value] of new URLSearchParams(query)) {
    if (holdsKey(decoded(value)) && !holdsKey(decoded(name))) return shownName(name);
  }
  return "query";
}

/** Decodes percent-encoding twice, so that a second encoding cannot hide a key. */
function decoded(text: string): string {
  const once = decodeOnce(text);
  return once.includes("%") ? decodeOnce(once) : once;
}

function decodeOnce(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

const longestName = 64;

/** A name from the request, as an error may repeat it: shortened, and masked if it contains a key. */
export function shownName(name: string): string {
  if (holdsKey(name)) return "(an API key)";
  return name.length > longestName ? `${name.slice(0, longestName)}…` : name;
}
