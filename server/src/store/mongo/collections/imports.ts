import { Schema } from "mongoose";

/** An import in progress. One write commits it; before that, none of its data is visible. */
export interface ImportDoc {
  readonly _id: string;
  readonly state: "writing" | "committed";
  /** The last time its writer reported progress. */
  readonly at: number;
}

export const importSchema = new Schema<ImportDoc>(
  { _id: String, state: String, at: Number },
  { collection: "imports" },
);
