import { readdirSync } from "node:fs";

/** Where the build puts the pages of the reference. */
export const pagesFolder = new URL("../../../server/dist/pages/", import.meta.url);

/** The path of every page below /docs. `404` has no address, and only a sandbox has `try`. */
export const pagePaths = readdirSync(pagesFolder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".html") && !["404.html", "try.html"].includes(name))
  .map((name) => (name === "index.html" ? "" : `/${name.replace(/\.html$/, "")}`));
