import type { UpdateQuery } from "mongoose";
import { isRunning, mostSessions } from "../../rules/owner-session.js";
import { provesOwner, withPassword } from "../../rules/password-link.js";
import type { Owner } from "../../rules/records.js";
import type {
  AccountStore,
  ChangeRoleOutcome,
  RemoveAccountOutcome,
  SessionStore,
} from "../port/owners.js";
import { byCreation, changeBusiness } from "./businesses.js";
import type { Database } from "./connection.js";
import {
  type BusinessDoc,
  type OwnerDoc,
  readBusiness,
  writeAccount,
  writeOwner,
} from "./documents.js";
import { repeatable } from "./guard.js";
import type { StoreTime } from "./time.js";

/** An owner with the business that names them. */
interface Named {
  readonly doc: OwnerDoc;
  readonly business: BusinessDoc;
  readonly owner: Owner;
}

/** Reads owners with their businesses in one command. Those that their business does not name are left out. */
async function findNamed({ owners, businesses }: Database, filter: object): Promise<Named[]> {
  const docs = await repeatable(() =>
    owners.aggregate<OwnerDoc & { readonly business: readonly BusinessDoc[] }>([
      { $match: filter },
      {
        $lookup: {
          from: businesses.collection.collectionName,
          localField: "businessId",
          foreignField: "id",
          as: "business",
        },
      },
    ]),
  );
  return docs.flatMap(({ business: [business], ...doc }) => {
    const account = business?.accounts.find(({ id }) => id === doc._id);
    if (!business || !account) return [];
    const { businessId, passwordHash, link } = doc;
    return [{ doc, business, owner: { ...account, businessId, passwordHash, link } }];
  });
}

/**
 * Changes an owner whom their business names. Returns them as they were before; null if there is none or the
 * filter does not match any more.
 */
async function changeNamed(db: Database, filter: object, update: UpdateQuery<OwnerDoc>) {
  const [named] = await findNamed(db, filter);
  if (!named) return null;
  const { matchedCount } = await db.owners.updateOne(filter as never, update);
  return matchedCount === 1 ? named : null;
}

export function mongoAccounts(db: Database, { now }: StoreTime): AccountStore {
  const { owners } = db;

  async function ownersWhere(filter: object): Promise<Owner[]> {
    return (await findNamed(db, filter)).map(({ owner }) => owner).sort(byCreation);
  }

  /** Whether another owner has a password. It is never removed, so an owner who has one now has one later. */
  async function remains(businessId: string, ownerId: string): Promise<boolean> {
    return (await ownersWhere({ businessId, _id: { $ne: ownerId } })).some(
      ({ role, passwordHash }) => role === "owner" && passwordHash !== null,
    );
  }

  return {
    list: (businessId) => ownersWhere({ businessId }),

    byEmail: (email) => ownersWhere({ email }),

    /** The owner is written first, and counts once the business names them. */
    async add(businessId, owner) {
      const { _id, ...doc } = writeOwner(owner);
      await repeatable(() => owners.replaceOne({ _id }, doc, { upsert: true }));
      const added = await changeBusiness<"added" | "email_taken">(db, businessId, ({ accounts }) =>
        accounts.some((other) => other.email === owner.email)
          ? { result: "email_taken" }
          : { result: "added", update: { $push: { accounts: writeAccount(owner) } } },
      );
      if (added === null) throw new Error("the business of a new account does not exist");
      if (added === "email_taken") await repeatable(() => owners.deleteOne({ _id }));
      return added;
    },

    async changeRole(businessId, ownerId, role) {
      const outcome = await changeBusiness<ChangeRoleOutcome>(
        db,
        businessId,
        async ({ accounts }) => {
          const account = accounts.find(({ id }) => id === ownerId);
          if (!account) return { result: "not_found" };
          const isDemoted = account.role === "owner" && role !== "owner";
          if (isDemoted && !(await remains(businessId, ownerId))) return { result: "last_owner" };
          const after = accounts.map((one) => (one === account ? { ...one, role } : one));
          return { result: "changed", update: { $set: { accounts: after } } };
        },
      );
      return outcome ?? "not_found";
    },

    async remove(businessId, ownerId, { keepOwner }) {
      const outcome = await changeBusiness<RemoveAccountOutcome>(
        db,
        businessId,
        async ({ accounts }) => {
          const account = accounts.find(({ id }) => id === ownerId);
          if (!account) return { result: "not_found" };
          if (keepOwner && account.role === "owner" && !(await remains(businessId, ownerId))) {
            return { result: "last_owner" };
          }
          return { result: "removed", update: { $pull: { accounts: { id: ownerId } } } };
        },
      );
      if (outcome !== "removed") return outcome ?? "not_found";
      await repeatable(() => owners.deleteOne({ _id: ownerId, businessId }));
      return outcome;
    },

    async byPasswordLink(linkTokenHash) {
      const [found] = await findNamed(db, { "link.tokenHash": linkTokenHash });
      return found && provesOwner(found.owner, { linkTokenHash }, now()) ? found.owner : null;
    },

    async replacePasswordLink(businessId, ownerId, link) {
      const filter = { _id: ownerId, businessId };
      return (await repeatable(() => changeNamed(db, filter, { $set: { link } }))) !== null;
    },

    async setPassword(businessId, ownerId, passwordHash, proof) {
      const held = "passwordHash" in proof ? proof : { "link.tokenHash": proof.linkTokenHash };
      const filter = { _id: ownerId, businessId, ...held };
      const [found] = await findNamed(db, filter);
      if (!found || !provesOwner(found.owner, proof, now())) return null;
      const after = withPassword(found.owner, passwordHash);
      const { link } = after;
      const { matchedCount } = await owners.updateOne(filter, {
        $set: { passwordHash, link, sessions: [] },
      });
      return matchedCount === 1 ? after : null;
    },
  };
}

export function mongoSessions(db: Database, { now }: StoreTime): SessionStore {
  const { owners } = db;
  return {
    async start(businessId, { tokenHash, ownerId, createdAt, expiresAt }, passwordHash) {
      const session = { tokenHash, createdAt, expiresAt };
      const begun = { $push: { sessions: { $each: [session], $slice: -mostSessions } } };
      return (await changeNamed(db, { _id: ownerId, businessId, passwordHash }, begun)) !== null;
    },

    async get(tokenHash) {
      const [named] = await findNamed(db, { "sessions.tokenHash": tokenHash });
      const session = named?.doc.sessions.find((one) => one.tokenHash === tokenHash);
      if (!named || !session || !isRunning(session, now())) return null;
      const { owner, business } = named;
      return { owner, business: readBusiness(business), expiresAt: session.expiresAt };
    },

    async end(tokenHash) {
      const ended = { $pull: { sessions: { tokenHash } } };
      await repeatable(() => owners.updateOne({ "sessions.tokenHash": tokenHash }, ended));
    },

    async endAll(businessId, ownerId) {
      const ended = { $set: { sessions: [] } };
      await repeatable(() => owners.updateOne({ _id: ownerId, businessId }, ended));
    },
  };
}
