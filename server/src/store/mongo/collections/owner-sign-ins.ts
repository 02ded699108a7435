import { Schema } from "mongoose";
import type { Window } from "../../../rules/window.js";

/** A window of failed sign-ins to the dashboard. */
export interface OwnerSignInDoc extends Window {
  /** The name of the window; see `signInWindowsOf`. */
  readonly _id: string;
  /** Its count before the last attempt. */
  readonly before: number;
}

export const ownerSignInSchema = new Schema<OwnerSignInDoc>(
  { _id: String, startedAt: Number, count: Number, before: Number },
  { collection: "owner_sign_ins" },
).index({ startedAt: 1 }, { name: "start" });
