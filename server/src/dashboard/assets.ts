import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname } from "node:path";
import type { RequestHandler, Response } from "express";
import { Encodings, forAYear } from "../lib/encodings.js";
import { dashboardPath } from "./request.js";

const require = createRequire(import.meta.url);
const own = (name: string) => new URL(`../../assets/${name}`, import.meta.url);
const css = (name: string) => own(`${name}.css`);

/** Every file that pages load, and what it is put together from. */
const sources = {
  "style.css": ["theme", "base", "pages", "forms", "charts", "board"].map(css),
  "dark.css": own("dark.css"),
  "icon.svg": own("icon.svg"),
  "page.js": [require.resolve("idiomorph/dist/idiomorph.min.js"), own("parts.js"), own("page.js")],
  "display.css": ["theme", "base", "display"].map(css),
  "display.js": own("display.js"),
  "board.js": own("board.js"),
  "printed-token.css": ["theme", "base", "printed-token"].map(css),
  "figtree-latin.woff2": own("figtree-latin.woff2"),
  "figtree-latin-ext.woff2": own("figtree-latin-ext.woff2"),
} as const;

export type AssetName = keyof typeof sources;

interface Asset {
  /** The name with the hash of the content, so that a changed file has another URL. */
  readonly file: string;
  readonly content: Encodings;
}

function readAsset(name: AssetName): Asset {
  const bytes = Buffer.concat([sources[name]].flat().map((source) => readFileSync(source)));
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  const [stem, extension = ""] = name.split(".");
  // The style sheets name the fonts, so fonts keep their names. A new version of a font needs a new name.
  const file = extension === "woff2" ? name : `${stem}.${hash}.${extension}`;
  return { file, content: new Encodings(bytes) };
}

let known: Map<string, Asset> | undefined;

/** All assets by name. They are read once, at the first page request. */
function assets(): Map<string, Asset> {
  const names = Object.keys(sources) as AssetName[];
  known ??= new Map(names.map((name) => [name, readAsset(name)]));
  return known;
}

/** The path of an asset as a browser requests it. */
export function assetPath(res: Response, name: AssetName): string {
  return dashboardPath(res, `/assets/${assets().get(name)?.file}`);
}

/** Serves `/assets/:file`: the only route of the service that allows caching. */
export const serveAsset: RequestHandler<{ file: string }> = (req, res, next) => {
  const asset = [...assets().values()].find(({ file }) => file === req.params.file);
  if (!asset) return next();
  const { bytes, headers } = asset.content.chosenFor(req);
  res.vary("Accept-Encoding").set({ "Cache-Control": forAYear, ...headers });
  res.type(extname(asset.file)).send(bytes);
};
