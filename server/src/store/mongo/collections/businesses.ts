import { Schema } from "mongoose";
import type { Business } from "../../../rules/records.js";

/** The fields of a business that its keys contain, so that admission reads one document. */
export type BusinessCopy = Omit<Business, "id" | "sandbox" | "longWaitMinutes" | "displayHash"> & {
  /** Absent means false: the document is older than sandboxes. */
  readonly sandbox?: boolean;
  /** Grows with each change of the business, its queues or its services. */
  readonly revision: number;
};

export interface BusinessDoc
  extends Omit<Business, "id" | "slug" | "sandbox" | "longWaitMinutes" | "displayHash"> {
  readonly _id: string;
  /** Absent until the import of the business is committed. */
  readonly slug?: string;
  /** Absent means false: the document is older than sandboxes. */
  readonly sandbox?: boolean;
  /** Absent means null: the document is older than long waits. */
  readonly longWaitMinutes?: number | null;
  /** Absent means null: the document is older than displays. */
  readonly displayHash?: string | null;
  /** The slug that a pending import will give it. */
  readonly pendingSlug?: string;
  /** The import that created it. */
  readonly importId: string;
  /** The order in the list: businesses are listed as they were added. */
  readonly addedAt: number;
  readonly place: number;
  readonly revision: number;
  /** Whether every key has a copy of this revision. */
  readonly spread: boolean;
}

export const businessSchema = new Schema<BusinessDoc>(
  {
    _id: String,
    slug: String,
    pendingSlug: String,
    importId: String,
    addedAt: Number,
    place: Number,
    name: String,
    category: String,
    timezone: String,
    apiAccess: Boolean,
    dailyTokenLimit: Number,
    sandbox: Boolean,
    longWaitMinutes: Number,
    displayHash: String,
    revision: Number,
    spread: Boolean,
  },
  { collection: "businesses" },
)
  .index(
    { slug: 1 },
    { name: "slug", unique: true, partialFilterExpression: { slug: { $exists: true } } },
  )
  .index(
    { pendingSlug: 1 },
    {
      name: "pendingSlug",
      unique: true,
      partialFilterExpression: { pendingSlug: { $exists: true } },
    },
  )
  .index({ displayHash: 1 }, { name: "display" })
  .index({ importId: 1 }, { name: "import" })
  .index({ addedAt: 1, place: 1 }, { name: "added" })
  .index({ spread: 1 }, { name: "unspread", partialFilterExpression: { spread: false } });

export function readBusiness(doc: BusinessDoc): Business {
  const { _id: id, slug = doc.pendingSlug ?? "", name, category, timezone } = doc;
  const { apiAccess, dailyTokenLimit, sandbox = false } = doc;
  const { longWaitMinutes = null, displayHash = null } = doc;
  const settings = { apiAccess, dailyTokenLimit, sandbox, longWaitMinutes, displayHash };
  return { id, slug, name, category, timezone, ...settings };
}

export function copyOf(doc: BusinessDoc): BusinessCopy {
  const { id, longWaitMinutes, displayHash, ...business } = readBusiness(doc);
  return { ...business, revision: doc.revision };
}
