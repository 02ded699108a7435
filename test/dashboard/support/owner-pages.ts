import type { Clinic } from "../../support/clinic.js";
import type { Service } from "../../support/service.js";
import { sharedBrowser, signedInPage } from "./browser.js";
import { quicklySignedIn } from "./quick-sign-in.js";

/** Opens the dashboard's pages in the browser of a test file. */
export function ownerPages(service: Service) {
  const browser = sharedBrowser();
  return {
    /** The URL of a page. */
    at: (path: string) => `${service.url}/dashboard${path}`,
    /** A new page, with an owner of the clinic signed in. */
    open: async (clinic: Clinic, options: Parameters<typeof signedInPage>[2] = {}) =>
      signedInPage(browser(), await quicklySignedIn(service, clinic), options),
  };
}
