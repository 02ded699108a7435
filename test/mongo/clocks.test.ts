import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import { describe, expect, test } from "vitest";
import { customer1 } from "../support/client.js";
import { Clinic } from "../support/clinic.js";
import { mongoDatabase } from "../support/mongo.js";
import { ownerOf } from "../support/owner.js";
import { serve } from "../support/process.js";
import { clinicSeed, mainKey, wideKey } from "../support/seed.js";

const minute = 60_000;
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * minute).toISOString();

/** The environment of a Node process whose clock is ahead by these minutes. */
function clockAhead(minutes: number): Record<string, string> {
  const shift = `const real=Date.now;Date.now=()=>real()+${minutes * minute};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}` };
}

describe("two instances whose clocks are seven minutes ahead and behind", () => {
  test("use the time of the database alone", async ({ onTestFinished }) => {
    const url = mongoDatabase();
    const store = await openStore(url, { random: randomBytes });
    onTestFinished(() => store.close());
    const keys = [
      mainKey,
      { ...wideKey, ref: "valid", expiresAt: inMinutes(3) },
      { ...wideKey, ref: "expired", expiresAt: inMinutes(-3) },
    ];
    const seed = clinicSeed({ keys });
    const seeded = await ownerOf(store, Date.now).seed(seed);
    const clinics = await Promise.all(
      [7, -7].map(async (minutes) => {
        const server = await serve(url, onTestFinished, clockAhead(minutes));
        return new Clinic({ url: server.url, conformance: null }, seed.slug, seeded, "10.0.0.1");
      }),
    );
    const clinicAt = (n: number) => clinics[n % 2] as Clinic;

    // one window of a key, which ends within a minute
    const asked = Array.from({ length: 160 }, (_, n) => clinicAt(n).client().get("/v1/me"));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
    for (const { headers } of answers) {
      expect(Number(headers.get("ratelimit-reset"))).toBeLessThanOrEqual(60);
    }

    // keys that expire
    for (const [key, status] of [
      ["valid", 200],
      ["expired", 401],
    ] as const) {
      for (const one of clinics) expect((await one.client(key).get("/v1/me")).status).toBe(status);
    }

    // entries, and the keys of their creations
    const idempotencyKey = crypto.randomUUID();
    const [first, replay] = [0, 1].map((n) => clinicAt(n).client("valid"));
    const queue = clinicAt(0).queue();
    const created = await first?.create(queue, customer1, idempotencyKey);
    expect(Math.abs(Date.now() - Date.parse(created?.data.issuedAt ?? ""))).toBeLessThan(minute);
    expect((await replay?.create(queue, customer1, idempotencyKey))?.text).toBe(created?.text);
  });
});
