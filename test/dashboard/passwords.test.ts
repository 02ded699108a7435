import { randomBytes, scryptSync } from "node:crypto";
import { Passwords } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { testService } from "../support/service.js";
import { newOwner, password, signIn, visitorOf, wrong } from "./support/visitor.js";

const cheap = { ln: 4, r: 8, p: 1 };

function passwords(): Passwords {
  return new Passwords({ random: randomBytes, cost: cheap });
}

describe("the hash of a password", () => {
  test("costs 128 MiB by default, and contains its parameters", async () => {
    const usual = new Passwords({ random: (bytes) => new Uint8Array(bytes).fill(7) });
    const hash = await usual.hash(password);
    const [, algorithm, cost, salt = "", kept = ""] = hash.split("$");
    expect([algorithm, cost]).toEqual(["scrypt", "ln=17,r=8,p=1"]);
    expect(Buffer.from(salt, "base64")).toEqual(Buffer.alloc(16, 7));
    const options = { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 };
    const expected = scryptSync(password, Buffer.alloc(16, 7), 32, options);
    expect(Buffer.from(kept, "base64")).toEqual(expected);
    expect(await passwords().matches(password, hash)).toBe(true); // regardless of the current cost
  });

  test("is different each time", async () => {
    const [one, other] = [await passwords().hash(password), await passwords().hash(password)];
    expect(one).not.toBe(other);
  });

  test("matches only that password", async () => {
    const hash = await passwords().hash(password);
    expect(await passwords().matches(password, hash)).toBe(true);
    for (const wrong of ["", `${password} `, password.toUpperCase(), hash]) {
      expect(await passwords().matches(wrong, hash)).toBe(false);
    }
  });

  test("that is missing matches no password", async () => {
    for (const typed of ["", password]) expect(await passwords().matches(typed, null)).toBe(false);
  });

  test("in an unknown format is an error, not a wrong password", async () => {
    await expect(passwords().matches(password, "$2b$12$abc")).rejects.toThrow(/known form/);
  });
});

describe("concurrent passwords", () => {
  test("wait up to a limit, and all waiting passwords are hashed", async () => {
    const hasher = passwords();
    const hash = await hasher.hash(password);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, () => hasher.matches(password, hash)),
    );
    const matched = outcomes.filter((outcome) => outcome.status === "fulfilled");
    expect(matched.map(({ value }) => value)).toEqual(Array(22).fill(true));
    for (const outcome of outcomes.slice(22)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "QueueFullError" } });
    }
    expect(await hasher.matches(password, hash)).toBe(true);
  });

  test("are not hashed for clients that disconnected, which free their place", async () => {
    const hasher = passwords();
    const callers = Array.from({ length: 20 }, () => new AbortController());
    const staying = Array.from({ length: 2 }, () => hasher.hash(password));
    const leaving = callers.map(({ signal }) => hasher.hash(password, signal));
    const refused = hasher.hash(password);
    await expect(refused).rejects.toMatchObject({ name: "QueueFullError" });
    for (const caller of callers) caller.abort(new Error("gone"));
    for (const one of leaving) await expect(one).rejects.toThrow("gone");
    const late = AbortSignal.abort(new Error("gone"));
    await expect(hasher.hash(password, late)).rejects.toThrow("gone");
    const hash = await hasher.hash(password);
    expect(await hasher.matches(password, hash)).toBe(true);
    await Promise.all(staying);
  });

  test("free their place when one fails", async () => {
    const hasher = passwords();
    const unusable = "$scrypt$ln=0,r=8,p=1$AAAA$AAAA"; // N must be more than 1
    for (let n = 0; n < 5; n++) await expect(hasher.matches(password, unusable)).rejects.toThrow();
    expect(await hasher.matches(password, await hasher.hash(password))).toBe(true);
  });
});

/** Records its calls. Can act as if too many passwords wait. */
class WatchedPasswords extends Passwords {
  readonly asked: { readonly known: boolean }[] = [];
  isCrowded = false;

  override async matches(typed: string, hash: string | null): Promise<boolean> {
    this.asked.push({ known: hash !== null });
    const before = this.isCrowded ? 30 : 0;
    const crowd = Array.from({ length: before }, () => super.matches(password, null));
    const [outcome] = await Promise.allSettled([super.matches(typed, hash), ...crowd]);
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  }
}

describe("a sign-in", async () => {
  const watched = new WatchedPasswords({ random: randomBytes, cost: cheap });
  const service = await testService({ passwords: watched });

  test("hashes the password of an unknown account as well, so that the time reveals nothing", async () => {
    const owner = await newOwner(service, await service.clinic());
    watched.asked.length = 0;
    await signIn(visitorOf(service), owner, wrong);
    await signIn(visitorOf(service), { ...owner, email: "nobody@clinic.example" }, wrong);
    expect(watched.asked).toEqual([{ known: true }, { known: false }]);
  });

  test("that would wait too long gets 503 and Retry-After", async () => {
    const owner = await newOwner(service, await service.clinic());
    const visitor = visitorOf(service);
    watched.isCrowded = true;
    const answer = await signIn(visitor, owner);
    watched.isCrowded = false;
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("5");
    expect(answer.body).toContain("try again in a moment");
    expect((await signIn(visitor, owner)).status).toBe(303);
  });
});
