import { Schema } from "mongoose";

/** An import under way. Committing it is one write; before it nothing of it can be seen. */
export interface ImportDoc {
  readonly _id: string;
  readonly state: "writing" | "committed";
  /** When its writer was last heard of. */
  readonly at: number;
}

export const importSchema = new Schema<ImportDoc>(
  { _id: String, state: String, at: Number },
  { collection: "imports" },
);
