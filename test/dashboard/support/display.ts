import type { BusinessSeed } from "../../support/seed.js";
import type { Service } from "../../support/service.js";
import { fieldIn } from "./html.js";
import { busyDesk, type Visitor } from "./visitor.js";

/** The link to a display that a page shows. */
export function displayLinkIn(page: string): string {
  return /http[^\s<]+\/dashboard\/display\/\w{43}/.exec(page)?.[0] ?? "";
}

/** Sends the form that makes a link to the display, or replaces it. */
export async function makeDisplayLink(visitor: Visitor) {
  const form = (await visitor.get("/dashboard/settings/display")).body;
  return visitor.submit("/dashboard/settings/display", { replaces: fieldIn(form, "replaces") });
}

/** A clinic whose owner has made a link to the display. */
export async function displayOf(service: Service, seed: BusinessSeed = {}) {
  const { clinic, visitor } = await busyDesk(service, seed);
  const { body, status } = await makeDisplayLink(visitor);
  if (status !== 201) throw new Error(`no link was made: ${status}`);
  return { clinic, visitor, link: displayLinkIn(body) };
}
