import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import { expect, test } from "vitest";
import { password, signIn, Visitor } from "../dashboard/support/visitor.js";
import { customer1 } from "../support/client.js";
import { queueApi } from "../support/command.js";
import { type ServiceProcess, serveClinic } from "../support/process.js";
import { wideKey } from "../support/seed.js";

/** A person and the state that the last acknowledged tap gave them; null while a tap has no response. */
interface Followed {
  readonly id: string;
  state: { readonly status: string; readonly queueId: string } | null;
}

test("kill -9 of one of two servers under moves and taps on the board keeps each acknowledged state, and no number is given twice", async ({
  onTestFinished,
}) => {
  const desks = [
    { ref: "front", name: "Front desk" },
    { ref: "lab", name: "Laboratory", tokenSeries: "L" },
  ];
  const served = await serveClinic(onTestFinished, { keys: [wideKey], queues: desks });
  const { database, server: survivor, clinic, start, clinicAt } = served;
  const add = ["owner", "add", "--business", clinic.slug, "--email", "owner@clinic.example"];
  const { link } = (await queueApi([...add, "--database", database])) as { link: string };
  const linkToken = new URL(link).searchParams.get("token") ?? "";
  const browser = new Visitor(survivor.url, "10.0.0.2");
  const form = { token: linkToken, password, again: password };
  await browser.submit("/dashboard/set-password", form);
  await signIn(browser, { email: "owner@clinic.example", linkToken });

  const [front, lab] = [clinic.queue("front"), clinic.queue("lab")];
  const followed: Followed[] = [];

  /** Creates entries and taps on them, until the server ends or enough people were served. */
  async function work(server: ServiceProcess, isEnough: () => boolean): Promise<void> {
    const client = (await clinicAt(server)).client();
    const visitor = new Visitor(server.url, "10.0.0.2");
    for (const [name, value] of browser.cookies) visitor.cookies.set(name, value);
    await visitor.get("/dashboard");
    for (let turn = 0; !isEnough(); turn++) {
      const { id } = (await client.create(front, customer1)).data;
      const one: Followed = { id, state: { status: "WAITING", queueId: front } };
      followed.push(one);
      const tap = async (fields: Readonly<Record<string, string>>, state: Followed["state"]) => {
        one.state = null;
        const { status } = await visitor.submit("/dashboard/board", fields);
        expect(status).toBe(303);
        one.state = state;
      };
      if (turn % 3 > 0) await tap({ transfer: id, to: lab }, { status: "WAITING", queueId: lab });
      if (turn % 3 > 1) await tap({ call: id }, { status: "IN_SERVICE", queueId: lab });
    }
  }

  for (const count of [10, 30]) {
    const victim = await start();
    const until = followed.length + count;
    const isEnough = () => {
      if (followed.length < until) return false;
      victim.signal("SIGKILL");
      return true;
    };
    const works = [victim, survivor, victim, survivor].map((server) => work(server, isEnough));
    const failed = (await Promise.allSettled(works)).filter(({ status }) => status === "rejected");
    for (const { reason } of failed as PromiseRejectedResult[]) {
      expect(`${reason.code ?? reason.message}`).toMatch(/ECONN|EPIPE|fetch failed|terminated/);
    }
    await victim.exited;

    // At once: nothing is repaired before the counts are right.
    const store = await openStore(database, { random: randomBytes });
    const { items } = await store.imports.read(clinic.id, "entries", null);
    await store.close();
    const entries = items.map(({ entry }) => entry);
    for (const { id, state } of followed) {
      expect(entries.find((entry) => entry.id === id)).toMatchObject(state ?? {});
    }
    const places = entries.flatMap((entry) => [entry, ...entry.earlierPlaces]);
    const numbers = places.map(({ queueId, tokenNumber }) => `${queueId} ${tokenNumber}`);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const queueId of [front, lab]) {
      const line = entries
        .filter((entry) => entry.queueId === queueId && entry.status === "WAITING")
        .sort((a, b) => a.tokenNumber - b.tokenNumber);
      const client = clinic.client();
      const read = await Promise.all(line.map(({ id }) => client.entry(id)));
      expect(read.map(({ data }) => data.position)).toEqual(line.map((_, index) => index + 1));
    }
  }
});
