import { Schema } from "mongoose";
import type { Window } from "../../../rules/window.js";

/** The window of failed sign-ins of one address. */
export interface SignInDoc extends Window {
  /** Whom they are counted for. */
  readonly _id: string;
  /** How many the window had room for before the last ones came. */
  readonly room: number;
  /** When the window became full; null while it has room. */
  readonly closedAt: number | null;
}

export const signInSchema = new Schema<SignInDoc>(
  { _id: String, startedAt: Number, count: Number, room: Number, closedAt: Number },
  { collection: "sign_ins" },
)
  .index({ startedAt: 1 }, { name: "start" })
  .index({ closedAt: 1 }, { name: "closed" });
