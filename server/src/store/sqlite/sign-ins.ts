import type { Clock } from "../../rules/ports.js";
import {
  decideSignIn,
  forgiven,
  type SignInAdmission,
  type SignInAttempt,
  signInWindowsOf,
} from "../../rules/sign-in.js";
import type { Window } from "../../rules/window.js";
import type { Connection } from "./connection.js";

/** The windows of failed sign-ins of owners. */
export function prepareSignIns(db: Connection, clock: Clock) {
  const findWindow = db.query<[startedAt: number, count: number]>(
    "SELECT json_array(started_at, count) FROM owner_sign_in_windows WHERE name = ?",
  );
  const keepWindow = db.command(`
    INSERT INTO owner_sign_in_windows (name, started_at, count) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET started_at = excluded.started_at, count = excluded.count`);

  function windowOf(name: string): Window | null {
    const [startedAt, count] = findWindow(name) ?? [];
    return startedAt === undefined || count === undefined ? null : { startedAt, count };
  }

  return {
    admit(attempt: SignInAttempt): SignInAdmission {
      const names = signInWindowsOf(attempt);
      const windows = { address: windowOf(names.address), email: windowOf(names.email) };
      const { admission, address, email } = decideSignIn(windows, clock());
      if (address) keepWindow(names.address, address.startedAt, address.count);
      if (email) keepWindow(names.email, email.startedAt, email.count);
      return admission;
    },

    forgive(attempt: SignInAttempt, chargedAt: number): void {
      for (const name of Object.values(signInWindowsOf(attempt))) {
        const window = windowOf(name);
        if (!window) continue;
        const { startedAt, count } = forgiven(window, chargedAt);
        keepWindow(name, startedAt, count);
      }
    },
  };
}
