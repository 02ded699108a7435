import { isRunning, mostSessions } from "../../rules/owner-session.js";
import { isUsable } from "../../rules/password-link.js";
import type { Clock } from "../../rules/ports.js";
import type { Owner, OwnerSession, PasswordLink } from "../../rules/records.js";
import {
  decideSignIn,
  forgiven,
  type SignInAdmission,
  type SignInAttempt,
  signInWindowsOf,
} from "../../rules/sign-in.js";
import type { Window } from "../../rules/window.js";
import type { KeptOwner } from "../kept.js";
import type { PasswordChange } from "../store.js";
import { removeSome } from "./remove-some.js";

/** Owners with their links, sessions and windows of failed sign-ins. */
export class Accounts {
  readonly #clock: Clock;
  readonly #owners = new Map<string, Owner>();
  /** The link of an owner, by the owner's id. */
  readonly #links = new Map<string, PasswordLink>();
  /** By token hash, in the order in which they began. */
  readonly #sessions = new Map<string, OwnerSession>();
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(owner: Owner, link: PasswordLink): "added" | "email_taken" {
    if (this.byEmail(owner.email)) return "email_taken";
    this.#owners.set(owner.id, owner);
    this.#links.set(owner.id, link);
    return "added";
  }

  of(businessId: string): Owner[] {
    const owners = [...this.#owners.values()].filter((owner) => owner.businessId === businessId);
    return owners.sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
  }

  remove(businessId: string, ownerId: string): boolean {
    if (!this.#owned(businessId, ownerId)) return false;
    this.#owners.delete(ownerId);
    this.#links.delete(ownerId);
    this.#endAll(ownerId);
    return true;
  }

  removeAll(businessId: string): void {
    for (const owner of this.of(businessId)) this.remove(businessId, owner.id);
  }

  replaceLink(businessId: string, ownerId: string, link: PasswordLink): boolean {
    if (!this.#owned(businessId, ownerId)) return false;
    this.#links.set(ownerId, link);
    return true;
  }

  linkOwner(tokenHash: string): Owner | null {
    const link = [...this.#links.values()].find((link) => link.tokenHash === tokenHash);
    if (!link || !isUsable(link, this.#clock())) return null;
    return this.#owners.get(link.ownerId) ?? null;
  }

  setPassword(linkTokenHash: string, passwordHash: string): Owner | null {
    const owner = this.linkOwner(linkTokenHash);
    if (!owner) return null;
    const after = { ...owner, passwordHash };
    this.#owners.set(owner.id, after);
    this.#links.delete(owner.id);
    this.#endAll(owner.id);
    return after;
  }

  changePassword(businessId: string, ownerId: string, { from, to }: PasswordChange): boolean {
    const owner = this.#owned(businessId, ownerId);
    if (owner?.passwordHash !== from) return false;
    this.#owners.set(ownerId, { ...owner, passwordHash: to });
    this.#links.delete(ownerId);
    this.#endAll(ownerId);
    return true;
  }

  byEmail(email: string): Owner | null {
    return [...this.#owners.values()].find((owner) => owner.email === email) ?? null;
  }

  admit(attempt: SignInAttempt): SignInAdmission {
    const names = signInWindowsOf(attempt);
    const windows = {
      address: this.#windows.get(names.address) ?? null,
      email: this.#windows.get(names.email) ?? null,
    };
    const { admission, address, email } = decideSignIn(windows, this.#clock());
    if (address) this.#windows.set(names.address, address);
    if (email) this.#windows.set(names.email, email);
    return admission;
  }

  forgive(attempt: SignInAttempt, chargedAt: number): void {
    for (const name of Object.values(signInWindowsOf(attempt))) {
      const window = this.#windows.get(name);
      if (window) this.#windows.set(name, forgiven(window, chargedAt));
    }
  }

  start(businessId: string, session: OwnerSession, passwordHash: string): boolean {
    if (this.#owned(businessId, session.ownerId)?.passwordHash !== passwordHash) return false;
    this.#sessions.set(session.tokenHash, session);
    const sessions = this.#sessionsOf(session.ownerId);
    for (const { tokenHash } of sessions.slice(0, -mostSessions)) this.end(tokenHash);
    return true;
  }

  session(tokenHash: string): { owner: Owner; expiresAt: number } | null {
    const session = this.#sessions.get(tokenHash);
    if (!session || !isRunning(session, this.#clock())) return null;
    const owner = this.#owners.get(session.ownerId);
    return owner ? { owner, expiresAt: session.expiresAt } : null;
  }

  end(tokenHash: string): void {
    this.#sessions.delete(tokenHash);
  }

  endAll(businessId: string, ownerId: string): void {
    if (this.#owned(businessId, ownerId)) this.#endAll(ownerId);
  }

  kept(): KeptOwner[] {
    return [...this.#owners.values()].map((owner) => {
      const { tokenHash, expiresAt } = this.#links.get(owner.id) ?? {};
      const has = tokenHash !== undefined && expiresAt !== undefined;
      return { ...owner, link: has ? { tokenHash, expiresAt } : null };
    });
  }

  load(owners: readonly KeptOwner[]): void {
    for (const { link, ...owner } of owners) {
      this.#owners.set(owner.id, owner);
      if (link) this.#links.set(owner.id, { ...link, ownerId: owner.id });
      else this.#links.delete(owner.id);
    }
  }

  prune(windowUntil: number): { windows: number; sessions: number; passwordLinks: number } {
    const now = this.#clock();
    return {
      windows: removeSome(this.#windows, (window) => window.startedAt <= windowUntil),
      sessions: removeSome(this.#sessions, (session) => !isRunning(session, now)),
      passwordLinks: removeSome(this.#links, (link) => !isUsable(link, now)),
    };
  }

  #owned(businessId: string, ownerId: string): Owner | null {
    const owner = this.#owners.get(ownerId);
    return owner?.businessId === businessId ? owner : null;
  }

  #sessionsOf(ownerId: string): OwnerSession[] {
    return [...this.#sessions.values()].filter((session) => session.ownerId === ownerId);
  }

  #endAll(ownerId: string): void {
    for (const { tokenHash } of this.#sessionsOf(ownerId)) this.end(tokenHash);
  }
}
