import { isUsable } from "../../rules/password-link.js";
import type { Owner, PasswordLink } from "../../rules/records.js";
import type { PasswordChange } from "../port/accounts.js";
import { Coalescer } from "./coalescer.js";
import { type OwnerDoc, readOwner, writeOwner } from "./collections/owners.js";
import type { Database } from "./connection.js";
import type { StoreTime } from "./time.js";
import { insertEach } from "./unavailable.js";

/**
 * All fields of an owner that are read. They are listed, because a projection that adds the time must name
 * every field.
 */
const ownerFields = { businessId: 1, email: 1, passwordHash: 1, role: 1, createdAt: 1 } as const;

/** The accounts of owners, with their password links. */
export class Accounts {
  readonly #db: Database;
  readonly #time: StoreTime;
  /**
   * The unique index that each owner conflicted with, or null. Owners with one e-mail address are sent
   * together, because DocumentDB ends one of two inserts that wait for each other.
   */
  readonly #inserts = new Coalescer<OwnerDoc, string | null>((_, docs) =>
    insertEach(this.#db.owners.raw, docs),
  );

  constructor(db: Database, time: StoreTime) {
    this.#db = db;
    this.#time = time;
  }

  async add(
    _businessId: string,
    owner: Owner,
    link: PasswordLink,
  ): Promise<"added" | "email_taken"> {
    const doc = writeOwner({ ...owner, link: kept(link) });
    const met = await this.#inserts.run(owner.email, doc);
    if (met === null) return "added";
    if (met === "email") return "email_taken";
    throw new Error("the id of an owner is taken");
  }

  async list(businessId: string): Promise<Owner[]> {
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

  async replacePasswordLink(
    businessId: string,
    ownerId: string,
    link: PasswordLink,
  ): Promise<boolean> {
    const { matchedCount } = await this.#db.owners.raw.updateOne(
      { _id: ownerId, businessId },
      { $set: { link: kept(link) } },
    );
    return matchedCount > 0;
  }

  async byPasswordLink(tokenHash: string): Promise<Owner | null> {
    const projection = { ...ownerFields, link: 1, now: this.#time.expression() };
    const doc = (await this.#db.owners.raw.findOne(
      { "link.tokenHash": tokenHash },
      { projection },
    )) as (OwnerDoc & { readonly now: number }) | null;
    return doc?.link && isUsable(doc.link, doc.now) ? readOwner(doc) : null;
  }

  /** Of concurrent requests with one link, only one succeeds: the others no longer find the link. */
  async setPassword(linkTokenHash: string, passwordHash: string): Promise<Owner | null> {
    const owner = await this.byPasswordLink(linkTokenHash);
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
}

function kept({ tokenHash, expiresAt }: PasswordLink): NonNullable<OwnerDoc["link"]> {
  return { tokenHash, expiresAt };
}
