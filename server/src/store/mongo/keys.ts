import { limits } from "@queue-api/contract/limits";
import type { ApiKey, KeyInUse } from "../../rules/records.js";
import type { AddKeyOutcome, KeyChange } from "../port/keys.js";
import { addressRange } from "./address-range.js";
import type { Catalogue } from "./catalogue.js";
import { changeOne } from "./change-one.js";
import { copyOf } from "./collections/businesses.js";
import type { KeyringDoc } from "./collections/keyrings.js";
import { readKeyInUse, writeKey } from "./collections/keys.js";
import type { Database } from "./connection.js";
import type { StoreTime } from "./time.js";
import { duplicateOf } from "./unavailable.js";

/** How long a slot may be held by a key that is not inserted yet. */
const graceMs = 60_000;

/** The API keys of a business. */
export class Keys {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #catalogue: Catalogue;

  constructor(db: Database, time: StoreTime, catalogue: Catalogue) {
    this.#db = db;
    this.#time = time;
    this.#catalogue = catalogue;
  }

  async list(businessId: string): Promise<KeyInUse[]> {
    const docs = await this.#db.keys.model
      .find({ businessId })
      .sort({ createdAt: 1, _id: 1 })
      .lean();
    return docs.map(readKeyInUse);
  }

  /** Takes a slot among the active keys first. It is one write, so two requests cannot take the same slot. */
  async add(businessId: string, key: ApiKey): Promise<AddKeyOutcome> {
    if (await this.#db.keys.raw.findOne({ _id: key.id })) return "exists";
    const taken =
      (await this.#takeSlot(key)) ||
      ((await this.#healRing(businessId)) && (await this.#takeSlot(key)));
    if (!taken) return "too_many_active";
    if (key.revokedAt !== null) await this.#giveBack(businessId, [key.id]);
    const business = await this.#db.businesses.raw.findOne({ _id: businessId });
    try {
      await this.#db.keys.raw.insertOne(writeKey(key, business && copyOf(business)));
    } catch (error) {
      if (duplicateOf(error) === null) throw error;
      return "exists"; // two requests added it concurrently and share its slot
    }
    const now = await this.#db.businesses.raw.findOne({ _id: businessId });
    if (now && now.revision !== business?.revision) await this.#catalogue.spread(businessId);
    return "added";
  }

  /** Takes a slot if the business is below its limit: `isBelowKeyLimit` as an update pipeline. */
  async #takeSlot({ businessId, id: keyId, expiresAt }: ApiKey): Promise<boolean> {
    const { raw } = this.#db.keyrings;
    const active = {
      $filter: {
        input: "$slots",
        as: "slot",
        cond: {
          $or: [
            { $eq: ["$$slot.expiresAt", null] },
            { $lt: [this.#time.expression(), "$$slot.expiresAt"] },
          ],
        },
      },
    };
    const slot = {
      keyId,
      expiresAt: { $literal: expiresAt },
      takenAt: this.#time.expression(),
    };
    const update = [
      {
        $set: {
          slots: {
            $cond: [
              {
                $and: [
                  { $lt: [{ $size: active }, limits.activeKeys] },
                  { $not: { $in: [keyId, "$slots.keyId"] } },
                ],
              },
              { $concatArrays: ["$slots", [slot]] },
              "$slots",
            ],
          },
        },
      },
    ];
    for (;;) {
      const ring = await raw.findOneAndUpdate({ _id: businessId }, update, {
        returnDocument: "after",
      });
      if (ring) return ring.slots.some((taken) => taken.keyId === keyId);
      await raw.insertOne({ _id: businessId, slots: [] }).catch((error) => {
        if (duplicateOf(error) === null) throw error;
      });
    }
  }

  /** Frees the slots of keys that were revoked or never inserted, by a process that ended in between. */
  async #healRing(businessId: string): Promise<boolean> {
    const projection = { slots: 1, now: this.#time.expression() };
    const ring = (await this.#db.keyrings.raw.findOne({ _id: businessId }, { projection })) as
      | (KeyringDoc & { readonly now: number })
      | null;
    const held = new Set(
      (await this.list(businessId)).filter((key) => key.revokedAt === null).map(({ id }) => id),
    );
    const dead = (ring?.slots ?? [])
      .filter(({ keyId, takenAt }) => !held.has(keyId) && takenAt < (ring?.now ?? 0) - graceMs)
      .map(({ keyId }) => keyId);
    if (dead.length > 0) await this.#giveBack(businessId, dead);
    return dead.length > 0;
  }

  async #giveBack(businessId: string, keyIds: readonly string[]): Promise<void> {
    await this.#db.keyrings.raw.updateOne(
      { _id: businessId },
      { $pull: { slots: { keyId: { $in: [...keyIds] } } } },
    );
  }

  async change(businessId: string, keyId: string, change: KeyChange): Promise<boolean> {
    const { allowIps } = change;
    const doc = await changeOne(this.#db.keys.raw, businessId, keyId, {
      ...change,
      ...(allowIps && { allowRanges: allowIps.map(addressRange) }),
    });
    return doc !== null;
  }

  async revoke(businessId: string, keyId: string, now: number): Promise<boolean> {
    const revoked = await this.#db.keys.raw.updateOne({ _id: keyId, businessId }, [
      { $set: { revokedAt: { $ifNull: ["$revokedAt", now] } } },
    ]);
    if (revoked.matchedCount > 0) await this.#giveBack(businessId, [keyId]);
    return revoked.matchedCount > 0;
  }
}
