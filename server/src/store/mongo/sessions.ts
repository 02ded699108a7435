import { isRunning, mostSessions } from "../../rules/owner-session.js";
import type { OwnerSession } from "../../rules/records.js";
import type { SignedIn } from "../port/sessions.js";
import type { Catalogue } from "./catalogue.js";
import { type BusinessDoc, readBusiness } from "./collections/businesses.js";
import { type OwnerDoc, readOwner } from "./collections/owners.js";
import type { Database } from "./connection.js";
import type { StoreTime } from "./time.js";

/** An owner's session as a query finds it, with its business. */
interface SessionFound extends OwnerDoc {
  readonly business: readonly BusinessDoc[];
  readonly now: number;
}

/** The sessions of owners, each stored in the document of its owner. */
export class Sessions {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #catalogue: Catalogue;

  constructor(db: Database, time: StoreTime, catalogue: Catalogue) {
    this.#db = db;
    this.#time = time;
    this.#catalogue = catalogue;
  }

  async start(businessId: string, session: OwnerSession, passwordHash: string): Promise<boolean> {
    const { tokenHash, ownerId, createdAt, expiresAt } = session;
    const { matchedCount } = await this.#db.owners.raw.updateOne(
      { _id: ownerId, businessId, passwordHash },
      {
        $push: {
          sessions: { $each: [{ tokenHash, createdAt, expiresAt }], $slice: -mostSessions },
        },
      },
    );
    return matchedCount > 0;
  }

  async get(tokenHash: string): Promise<SignedIn | null> {
    const { owners, businesses } = this.#db;
    const [found] = await owners.raw
      .aggregate<SessionFound>([
        { $match: { "sessions.tokenHash": tokenHash } },
        {
          $lookup: {
            from: businesses.raw.collectionName,
            localField: "businessId",
            foreignField: "_id",
            as: "business",
          },
        },
        { $set: { now: this.#time.expression() } },
      ])
      .toArray();
    const session = found?.sessions.find((session) => session.tokenHash === tokenHash);
    const [business] = found?.business ?? [];
    if (!found || !session || !business || !isRunning(session, found.now)) return null;
    // The dashboard uses the current offer of the business, even if another process changed it.
    this.#catalogue.observe(business._id, business.revision);
    const { expiresAt } = session;
    return { owner: readOwner(found), business: readBusiness(business), expiresAt };
  }

  async end(tokenHash: string): Promise<void> {
    await this.#db.owners.raw.updateOne(
      { "sessions.tokenHash": tokenHash },
      { $pull: { sessions: { tokenHash } } },
    );
  }

  async endAll(businessId: string, ownerId: string): Promise<void> {
    await this.#db.owners.raw.updateOne({ _id: ownerId, businessId }, { $set: { sessions: [] } });
  }
}
