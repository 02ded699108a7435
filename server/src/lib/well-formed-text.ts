import { z } from "zod";

/** A text without lone surrogates. UTF-8 cannot hold them, so the databases would return another text than was stored. */
export const wellFormedText = z
  .string()
  .refine((text) => text.isWellFormed(), "must be well-formed Unicode");
