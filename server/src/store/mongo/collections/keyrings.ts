import { Schema } from "mongoose";

/** One key of a business that is not revoked. */
interface KeySlot {
  readonly keyId: string;
  readonly expiresAt: number | null;
  /** When the place was taken; the key is made right after. */
  readonly takenAt: number;
}

/** The keys of a business that are not revoked, in one document: so that their number can be held. */
export interface KeyringDoc {
  /** The business's id. */
  readonly _id: string;
  readonly slots: readonly KeySlot[];
}

export const keyringSchema = new Schema<KeyringDoc>(
  { _id: String, slots: [Schema.Types.Mixed] },
  { collection: "keyrings" },
);
