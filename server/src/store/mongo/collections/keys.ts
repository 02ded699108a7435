import { Schema } from "mongoose";
import type { ApiKey, Business, KeyInUse, KeyPurpose } from "../../../rules/records.js";
import type { Window } from "../../../rules/window.js";
import { type AddressRange, addressRange } from "../address-range.js";
import type { BusinessCopy } from "./businesses.js";

/** A window that many processes charge. */
interface MarkedWindow extends Window {
  /** The mark of the last shared charge of each process; see `KeyCharges`. It ends with the window. */
  readonly by?: Readonly<Record<string, number>>;
}

/** The windows of a key; absent until an event is counted. */
export interface KeyWindows {
  readonly requests?: MarkedWindow | null;
  readonly writes?: Window | null;
}

/** A key with everything that admission needs, so that admission takes one command on one document. */
export interface KeyDoc extends Omit<ApiKey, "id" | "purpose"> {
  readonly _id: string;
  /** Absent means the owner: the document is older than other purposes. */
  readonly purpose?: KeyPurpose;
  /** The allowlist in a form that the database can compare. */
  readonly allowRanges: readonly AddressRange[];
  /** Null if the business of the key does not exist. */
  readonly business: BusinessCopy | null;
  readonly windows: KeyWindows;
  /** The start of the last window of its requests, once that window was removed. */
  readonly lastUsedAt?: number | null;
}

export const keySchema = new Schema<KeyDoc>(
  {
    _id: String,
    businessId: String,
    name: String,
    purpose: String,
    secretHash: String,
    scopes: [String],
    allowIps: [String],
    allowRanges: [Schema.Types.Mixed],
    requestsPerMinute: Number,
    writesPerMinute: Number,
    createdAt: Number,
    expiresAt: Number,
    revokedAt: Number,
    business: Schema.Types.Mixed,
    windows: Schema.Types.Mixed,
    lastUsedAt: Number,
  },
  { collection: "keys" },
)
  .index({ businessId: 1, createdAt: 1, _id: 1 }, { name: "business" })
  .index(
    { "windows.requests.startedAt": 1 },
    {
      name: "windows",
      partialFilterExpression: { "windows.requests.startedAt": { $exists: true } },
    },
  );

export function writeKey(key: ApiKey, business: BusinessCopy | null): KeyDoc {
  const { id: _id, ...rest } = key;
  return { _id, ...rest, allowRanges: key.allowIps.map(addressRange), business, windows: {} };
}

export function readKey(doc: KeyDoc): ApiKey {
  return {
    id: doc._id,
    businessId: doc.businessId,
    name: doc.name,
    purpose: doc.purpose ?? "owner",
    secretHash: doc.secretHash,
    scopes: doc.scopes,
    allowIps: doc.allowIps,
    requestsPerMinute: doc.requestsPerMinute,
    writesPerMinute: doc.writesPerMinute,
    createdAt: doc.createdAt,
    expiresAt: doc.expiresAt,
    revokedAt: doc.revokedAt,
  };
}

export function readKeyInUse(doc: KeyDoc): KeyInUse {
  const lastUsedAt = doc.windows.requests?.startedAt ?? doc.lastUsedAt ?? null;
  return { ...readKey(doc), lastUsedAt };
}

/** The copy of the business in a key, without the fields that only the dashboard uses. */
export function businessOfKey({ businessId, business }: KeyDoc): Business | null {
  if (!business) return null;
  const { revision, sandbox = false, ...copy } = business;
  return { id: businessId, ...copy, sandbox, longWaitMinutes: null, displayHash: null };
}
