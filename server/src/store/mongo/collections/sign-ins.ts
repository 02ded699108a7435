import { Schema } from "mongoose";
import type { Window } from "../../../rules/window.js";

/** The window of failed sign-ins of one subject. */
export interface SignInDoc extends Window {
  /** The subject. */
  readonly _id: string;
  /** How far below its limit the window was before the last charge. */
  readonly room: number;
  /** When the window reached its limit; null while it is below. */
  readonly closedAt: number | null;
}

export const signInSchema = new Schema<SignInDoc>(
  { _id: String, startedAt: Number, count: Number, room: Number, closedAt: Number },
  { collection: "sign_ins" },
)
  .index({ startedAt: 1 }, { name: "start" })
  .index({ closedAt: 1 }, { name: "closed" });
