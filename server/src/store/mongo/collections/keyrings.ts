import { Schema } from "mongoose";

/** The slot of one key of a business that is not revoked. */
interface KeySlot {
  readonly keyId: string;
  readonly expiresAt: number | null;
  /** When the slot was taken. The key is inserted right after. */
  readonly takenAt: number;
}

/**
 * The slots of a business's keys that are not revoked, in one document, so that their number can be limited.
 */
export interface KeyringDoc {
  /** The business's id. */
  readonly _id: string;
  readonly slots: readonly KeySlot[];
}

export const keyringSchema = new Schema<KeyringDoc>(
  { _id: String, slots: [Schema.Types.Mixed] },
  { collection: "keyrings" },
);
