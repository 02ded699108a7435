import { isRunning, maxSessions } from "../rules/account-session.js";
import type { Account, AccountSession, Business } from "../rules/records.js";
import type { Tx } from "../store/port.js";
import { findAccount, keepAccount } from "./accounts.js";
import { businessOf } from "./businesses.js";
import { change, view } from "./operation.js";

/** The account of a session, and its business. */
export interface SignedIn {
  readonly account: Account;
  readonly business: Business;
  /** When the session expires. */
  readonly expiresAt: number;
}

/** The sessions of accounts in the dashboard. Those of one account are one record. */
export const sessions = {
  /**
   * Begins a session for an account whose password was verified. If the account then has too many sessions, ends the
   * oldest. Returns false and changes nothing if the business has no such account or the password hash does not match.
   */
  start: change(
    async (
      tx,
      businessId: string,
      { tokenHash, accountId, createdAt, expiresAt }: AccountSession,
      passwordHash: string,
    ): Promise<boolean> => {
      const [found, record] = await Promise.all([
        findAccount(tx, businessId, accountId),
        tx.find("sessions", { id: accountId }),
      ]);
      if (found?.account.passwordHash !== passwordHash) return false;
      const { generation } = found.account;
      const own = record?.sessions.filter((session) => session.generation === generation) ?? [];
      const added = { tokenHash, createdAt, expiresAt, generation };
      const all = [...own, added].slice(-maxSessions);
      const endsAt = Math.max(...all.map((session) => session.expiresAt));
      if (record) tx.update("sessions", record, { sessions: all, endsAt });
      else tx.insert("sessions", { id: accountId, businessId, sessions: all, endsAt });
      return true;
    },
  ),

  /** Null if the session has ended. */
  get: view(async (tx, tokenHash: string): Promise<SignedIn | null> => {
    const record = await tx.find("sessions", { "sessions.tokenHash": tokenHash });
    const session = record?.sessions.find((one) => one.tokenHash === tokenHash);
    if (!record || !session || !isRunning(session, tx.now)) return null;
    const found = await findAccount(tx, record.businessId, record.id);
    if (found?.account.generation !== session.generation) return null;
    return {
      account: found.account,
      business: businessOf(found.business),
      expiresAt: session.expiresAt,
    };
  }),

  end: change(async (tx, tokenHash: string): Promise<void> => {
    const record = await tx.find("sessions", { "sessions.tokenHash": tokenHash });
    if (!record) return;
    const others = record.sessions.filter((one) => one.tokenHash !== tokenHash);
    tx.update("sessions", record, { sessions: others });
  }),

  /** Ends all sessions of an account. */
  endAll: change(async (tx: Tx, businessId: string, accountId: string): Promise<void> => {
    const found = await findAccount(tx, businessId, accountId);
    if (!found) return;
    const { business, account } = found;
    keepAccount(tx, business, { ...account, generation: account.generation + 1 });
  }),
};
