import type { Response } from "express";
import { type Html, html } from "../lib/html.js";
import { assetPath } from "./assets.js";

/** The parts in which the documents of the dashboard differ. Each part of several lines ends with a line break. */
interface Document {
  readonly title: string;
  /** The elements of the head after the title and the icon. */
  readonly head: Html;
  /** The body, with its element. */
  readonly body: Html;
}

/** A whole HTML document. */
export function htmlDocument(res: Response, { title, head, body }: Document): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${assetPath(res, "icon.svg")}" type="image/svg+xml">
${head}</head>
${body}</html>
`;
}
