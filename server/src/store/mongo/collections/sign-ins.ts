import { Schema } from "mongoose";
import type { Window } from "../../../rules/window.js";

/** The window of failed sign-ins of one address. */
export interface SignInDoc extends Window {
  /** Whom they are counted for. */
  readonly _id: string;
  /** How far below its limit the window was before the last ones were charged. */
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
