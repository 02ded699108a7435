import { isRunning, mostSessions } from "../../rules/owner-session.js";
import { isUsable } from "../../rules/password-link.js";
import type { Owner, OwnerSession, PasswordLink } from "../../rules/records.js";
import {
  decideSignIn,
  type SignInAdmission,
  type SignInAttempt,
  signInWindowsOf,
} from "../../rules/sign-in.js";
import type { Window } from "../../rules/window.js";
import type { PasswordChange, SignedIn } from "../store.js";
import { chargeOwnerSignIn, forgiveOwnerSignIn } from "./admission-pipeline.js";
import type { Catalogue } from "./catalogue.js";
import { type BusinessDoc, readBusiness } from "./collections/businesses.js";
import type { OwnerSignInDoc } from "./collections/owner-sign-ins.js";
import { type OwnerDoc, readOwner, writeOwner } from "./collections/owners.js";
import type { Database } from "./connection.js";
import type { StoreTime } from "./time.js";
import { duplicateOf } from "./unavailable.js";
import { upsert } from "./upsert.js";

/** An owner's session as it is found, with its business. */
interface SessionFound extends OwnerDoc {
  readonly business: readonly BusinessDoc[];
  readonly now: number;
}

/** Everything of an owner that is read, named one by one so that the time can be named beside it. */
const ownerFields = { businessId: 1, email: 1, passwordHash: 1, createdAt: 1 } as const;

/** Owners with their links, sessions and windows of failed sign-ins. */
export class Accounts {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #catalogue: Catalogue;

  constructor(db: Database, time: StoreTime, catalogue: Catalogue) {
    this.#db = db;
    this.#time = time;
    this.#catalogue = catalogue;
  }

  async add(owner: Owner, link: PasswordLink): Promise<"added" | "email_taken"> {
    try {
      await this.#db.owners.raw.insertOne(writeOwner({ ...owner, link: kept(link) }));
      return "added";
    } catch (error) {
      if (duplicateOf(error) !== "email") throw error;
      return "email_taken";
    }
  }

  async owners(businessId: string): Promise<Owner[]> {
    const docs = await this.#db.owners.model
      .find({ businessId })
      .sort({ createdAt: 1, _id: 1 })
      .lean();
    return docs.map(readOwner);
  }

  async remove(businessId: string, ownerId: string): Promise<boolean> {
    const { deletedCount } = await this.#db.owners.raw.deleteOne({ _id: ownerId, businessId });
    return deletedCount > 0;
  }

  async replaceLink(businessId: string, ownerId: string, link: PasswordLink): Promise<boolean> {
    const { matchedCount } = await this.#db.owners.raw.updateOne(
      { _id: ownerId, businessId },
      { $set: { link: kept(link) } },
    );
    return matchedCount > 0;
  }

  async linkOwner(tokenHash: string): Promise<Owner | null> {
    const projection = { ...ownerFields, link: 1, now: this.#time.expression() };
    const doc = (await this.#db.owners.raw.findOne(
      { "link.tokenHash": tokenHash },
      { projection },
    )) as (OwnerDoc & { readonly now: number }) | null;
    return doc?.link && isUsable(doc.link, doc.now) ? readOwner(doc) : null;
  }

  /** Of many that found the link, one uses it: the others do not find it any more. */
  async setPassword(linkTokenHash: string, passwordHash: string): Promise<Owner | null> {
    const owner = await this.linkOwner(linkTokenHash);
    if (!owner) return null;
    const doc = await this.#db.owners.raw.findOneAndUpdate(
      { _id: owner.id, "link.tokenHash": linkTokenHash },
      { $set: { passwordHash, link: null, sessions: [] } },
      { returnDocument: "after" },
    );
    return doc && readOwner(doc);
  }

  async changePassword(
    businessId: string,
    ownerId: string,
    { from, to }: PasswordChange,
  ): Promise<boolean> {
    const { matchedCount } = await this.#db.owners.raw.updateOne(
      { _id: ownerId, businessId, passwordHash: from },
      { $set: { passwordHash: to, link: null, sessions: [] } },
    );
    return matchedCount > 0;
  }

  async byEmail(email: string): Promise<Owner | null> {
    const doc = await this.#db.owners.raw.findOne({ email });
    return doc && readOwner(doc);
  }

  /** The two windows one after the other, each in one step: neither can be exceeded. */
  async admit(attempt: SignInAttempt): Promise<SignInAdmission> {
    const names = signInWindowsOf(attempt);
    const address = await this.#charge(names.address);
    const first = decideSignIn({ address: address.window, email: null }, address.now);
    if (first.admission.outcome === "throttled") return first.admission;
    const email = await this.#charge(names.email);
    return decideSignIn({ address: null, email: email.window }, email.now).admission;
  }

  async forgive(attempt: SignInAttempt, chargedAt: number): Promise<void> {
    const { address, email } = signInWindowsOf(attempt);
    await this.#db.ownerSignIns.raw.updateMany(
      { _id: { $in: [address, email] } },
      forgiveOwnerSignIn(chargedAt),
    );
  }

  /** Charges a window if it has room; returns it as it was before. */
  async #charge(name: string): Promise<{ window: Window; now: number }> {
    const now = this.#time.expression();
    const doc = (await upsert(this.#db.ownerSignIns, {
      empty: { _id: name, startedAt: 0, count: 0, before: 0 },
      update: chargeOwnerSignIn(now),
      projection: { startedAt: 1, before: 1, now },
    })) as OwnerSignInDoc & { readonly now: number };
    return { window: { startedAt: doc.startedAt, count: doc.before }, now: doc.now };
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

  async session(tokenHash: string): Promise<SignedIn | null> {
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
    // What an owner does goes by what the business offers now, whichever process changed it.
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

function kept({ tokenHash, expiresAt }: PasswordLink): NonNullable<OwnerDoc["link"]> {
  return { tokenHash, expiresAt };
}
