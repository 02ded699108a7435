import { describe, expect, test } from "vitest";
import { newOwnerSession } from "../../server/src/rules/owner-session.js";
import {
  attempt,
  auditRow,
  clinic,
  front,
  id,
  invited,
  kiosk,
  owner,
  today,
  token,
} from "../store/support/records.js";
import { startWatched } from "./support/watched.js";

const wide = { ...kiosk, requestsPerMinute: 10_000, writesPerMinute: 10_000 };
const first = { limit: 10, after: null };

describe("round trips to the database", () => {
  test("are few for each operation of an API request", async ({ onTestFinished }) => {
    const { store, during } = await startWatched(onTestFinished, { keys: [wide] });
    const keyed = { key: "key", fingerprint: "body" };
    await store.entries.issue(clinic.id, token("first"));
    await store.admission.admit(attempt());

    const admit = () => store.admission.admit(attempt());
    expect(await during(admit)).toEqual(["find businesses", "find windows", "update windows"]);
    const issue = () => store.entries.issue(clinic.id, token("a", { keyed, audit: auditRow("a") }));
    const facts = ["aggregate entries", "find businesses", "find entries"];
    expect(await during(issue)).toEqual([...facts, "find entries", "insert entries"]); // one finds the key
    const replay = () => store.entries.issue(clinic.id, token("again", { keyed }));
    // The update changes nothing: it waits until a majority has the entry.
    expect(await during(replay)).toEqual(["find entries", "update entries"]);
    const get = () => store.entries.get(clinic.id, id("a"));
    expect(await during(get)).toEqual(["aggregate entries", "find entries"]);
    const list = () => store.entries.page(clinic.id, front.id, today, null, first);
    expect(await during(list)).toEqual(["aggregate entries", "find entries"]);
    const cancel = () => store.entries.move(clinic.id, id("a"), "cancel", 1);
    expect(await during(cancel)).toEqual(["find entries", "update entries"]);
    const get2 = () => store.entries.get(clinic.id, id("a"));
    expect(await during(get2)).toEqual(["find entries"]); // it does not wait, so it has no place
    const day = () => store.queues.day(clinic.id, front.id, today);
    expect(await during(day)).toEqual(["aggregate entries", "find businesses"]);
    const version = () => store.boards.version(clinic.id, today);
    expect(await during(version)).toEqual(["aggregate entries", "find businesses"]);
  });

  test("are shared by the creations of one business that wait together", async ({
    onTestFinished,
  }) => {
    const { store, during } = await startWatched(onTestFinished);
    await store.entries.issue(clinic.id, token("first"));
    const issueAll = () =>
      Promise.all(
        Array.from({ length: 64 }, (_, n) => store.entries.issue(clinic.id, token(`t${n}`))),
      );
    expect((await during(issueAll)).length).toBeLessThanOrEqual(2 * 3);
  });

  test("are shared by the requests of one key that wait together", async ({ onTestFinished }) => {
    const { store, during } = await startWatched(onTestFinished, { keys: [wide] });
    await store.admission.admit(attempt());
    const admitAll = () =>
      Promise.all(Array.from({ length: 64 }, () => store.admission.admit(attempt())));
    expect((await during(admitAll)).length).toBeLessThanOrEqual(2 * 3);
  });

  test("are shared by the requests of different keys that wait together", async ({
    onTestFinished,
  }) => {
    const keys = Array.from({ length: 8 }, (_, n) => ({ ...wide, id: `key${n}` }));
    const { store, during } = await startWatched(onTestFinished, { keys });
    const attempts = keys.map(({ id: keyId, secretHash }) => {
      return attempt({ credentials: { keyId, secretHash } });
    });
    const admitAll = () => Promise.all(attempts.map((one) => store.admission.admit(one)));
    await admitAll();
    expect((await during(admitAll)).length).toBeLessThanOrEqual(2 * 3);
  });

  test("are one to identify a signed-in owner", async ({ onTestFinished }) => {
    const { store, during } = await startWatched(onTestFinished);
    const now = await store.now();
    const anna = invited(owner("anna", { passwordHash: "hash" }), now);
    await store.accounts.add(clinic.id, anna);
    await store.sessions.start(clinic.id, newOwnerSession(anna, "session", now), "hash");
    let found: unknown;
    const commands = await during(async () => {
      found = await store.sessions.get("session");
    });
    expect(commands).toEqual(["aggregate owners"]);
    expect(found).toMatchObject({ owner: anna, business: { id: clinic.id } });
  });
});
