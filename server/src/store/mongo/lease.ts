import { Types } from "mongoose";
import { clockSlackMs } from "../../rules/clock-slack.js";
import type { Database } from "./connection.js";
import type { StoreTime } from "./time.js";
import { duplicateOf } from "./unavailable.js";

/**
 * A lease on work that only one instance needs to do. It saves work and guarantees nothing: the work must be
 * correct if two instances do it. The lease of an instance that died expires.
 */
export class Lease {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #name: string;
  readonly #lastsMs: number;
  readonly #owner = new Types.ObjectId().toHexString();
  #taken = false;

  constructor(db: Database, time: StoreTime, name: string, lastsMs: number) {
    this.#db = db;
    this.#time = time;
    this.#name = name;
    this.#lastsMs = lastsMs;
  }

  /** Takes or renews the lease. False if another instance has it. */
  async take(): Promise<boolean> {
    const now = this.#time.expression();
    const until = { $add: [now, this.#lastsMs] };
    const isFree = {
      $or: [
        { $eq: ["$owner", this.#owner] },
        { $lte: ["$until", now] },
        // The clock was set back, and the lease would last too long.
        { $gt: ["$until", { $add: [until, clockSlackMs] }] },
      ],
    };
    const { raw } = this.#db.leases;
    const renewed = await raw.updateOne({ _id: this.#name, $expr: isFree }, [
      { $set: { owner: this.#owner, until } },
    ]);
    this.#taken = renewed.matchedCount > 0 || (await this.#create());
    return this.#taken;
  }

  /** Creates the lease of an empty database, which has ended, and takes it. */
  async #create(): Promise<boolean> {
    try {
      await this.#db.leases.raw.insertOne({ _id: this.#name, owner: "", until: 0 });
    } catch (error) {
      if (duplicateOf(error) !== null) return false;
      throw error;
    }
    return this.take();
  }

  /** Ends the lease, if this instance has it. */
  async end(): Promise<void> {
    if (!this.#taken) return;
    this.#taken = false;
    await this.#db.leases.raw.updateOne(
      { _id: this.#name, owner: this.#owner },
      { $set: { until: 0 } },
    );
  }
}
