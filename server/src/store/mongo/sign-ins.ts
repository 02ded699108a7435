import { decideSignIn, forgiven, ownerSignInLimit, signInWindowsOf } from "../../rules/sign-in.js";
import type { Window } from "../../rules/window.js";
import type { SignInStore } from "../port/owners.js";
import { type Database, raw, readAll } from "./connection.js";
import type { WindowDoc } from "./documents.js";
import { duplicateOf, untilDone } from "./guard.js";
import type { StoreTime } from "./time.js";

/** The windows that exist, by name. */
export async function readWindows(
  { windows }: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, WindowDoc>> {
  const docs = await readAll(windows, { _id: { $in: names } });
  return new Map(docs.map((doc) => [doc._id, doc]));
}

/**
 * Changes a window: reads it, decides, and writes it if it is still what was read. An unknown result counts
 * one attempt too many at most.
 */
export function changeWindow<Result>(
  db: Database,
  name: string,
  seconds: number,
  decide: (window: Window | null) => { readonly result: Result; readonly after: Window | null },
): Promise<Result> {
  return untilDone(async () => {
    const requests = (await readWindows(db, [name])).get(name)?.requests ?? null;
    const { result, after } = decide(requests);
    if (after === null || after === requests) return { done: result };
    const doc = { requests: after, writes: null, endsAt: after.startedAt + seconds * 1_000 };
    try {
      // If the window is another one by now, its id is a duplicate.
      await raw(db.windows).updateOne(
        { _id: name, requests } as never,
        { $set: doc },
        { upsert: true },
      );
      return { done: result };
    } catch (error) {
      if (duplicateOf(error) === null) throw error;
      return "lost";
    }
  });
}

export function mongoSignIns(db: Database, { now }: StoreTime): SignInStore {
  const { seconds } = ownerSignInLimit;
  return {
    async admit(attempt) {
      const names = signInWindowsOf(attempt);
      const charged = await changeWindow(db, names.address, seconds, (address) => {
        const decided = decideSignIn({ address, email: null }, now());
        return { result: { address, decided }, after: decided.address ?? null };
      });
      if (!charged.decided.email) return charged.decided.admission;
      // The address is charged. What remains is the window of the e-mail address.
      return changeWindow(db, names.email, seconds, (email) => {
        const decided = decideSignIn({ address: charged.address, email }, now());
        return { result: decided.admission, after: decided.email ?? null };
      });
    },

    async forgive(attempt, chargedAt) {
      for (const name of Object.values(signInWindowsOf(attempt))) {
        await changeWindow(db, name, seconds, (window) => ({
          result: null,
          after: window && forgiven(window, chargedAt),
        }));
      }
    },
  };
}
