import { Schema } from "mongoose";
import type { AccountRole, Owner, OwnerSession } from "../../../rules/records.js";
import type { KeptOwner } from "../../kept.js";

/**
 * An owner with their link and their sessions, so that every change of a password is one write to one
 * document.
 */
export interface OwnerDoc extends Omit<KeptOwner, "id" | "role"> {
  readonly _id: string;
  /** Absent in documents of earlier versions, which had no other role than owner. */
  readonly role?: AccountRole;
  /** In the order in which they began. */
  readonly sessions: readonly Pick<OwnerSession, "tokenHash" | "createdAt" | "expiresAt">[];
}

export const ownerSchema = new Schema<OwnerDoc>(
  {
    _id: String,
    businessId: String,
    email: String,
    passwordHash: String,
    role: String,
    createdAt: Number,
    link: Schema.Types.Mixed,
    sessions: [Schema.Types.Mixed],
  },
  { collection: "owners" },
)
  .index({ businessId: 1, createdAt: 1, _id: 1 }, { name: "business" })
  .index({ email: 1 }, { name: "email", unique: true })
  .index({ "link.tokenHash": 1 }, { name: "link" })
  .index({ "link.expiresAt": 1 }, { name: "linkEnd" })
  .index({ "sessions.tokenHash": 1 }, { name: "session" })
  .index({ "sessions.expiresAt": 1 }, { name: "sessionEnd" });

export function writeOwner({ id: _id, ...owner }: KeptOwner): OwnerDoc {
  return { _id, ...owner, sessions: [] };
}

export function readOwner(doc: Omit<OwnerDoc, "link" | "sessions">): Owner {
  const { _id: id, businessId, email, passwordHash, role = "owner", createdAt } = doc;
  return { id, businessId, email, passwordHash, role, createdAt };
}
