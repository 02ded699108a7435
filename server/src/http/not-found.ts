import type { RequestHandler } from "express";
import { Refusal } from "../rules/refusal.js";

/** Whatever no route answers: unknown paths and methods, OPTIONS among them. */
export const notFound: RequestHandler = () => {
  throw new Refusal("not_found");
};
