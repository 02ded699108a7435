import { Schema } from "mongoose";

/** The right of one instance to do work that all instances could do. */
export interface LeaseDoc {
  /** The name of the work. */
  readonly _id: string;
  /** The instance that has the lease. */
  readonly owner: string;
  readonly until: number;
}

export const leaseSchema = new Schema<LeaseDoc>(
  { _id: String, owner: String, until: Number },
  { collection: "leases" },
);
