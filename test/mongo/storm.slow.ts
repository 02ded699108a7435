import { expect, test } from "vitest";
import type { Answer } from "../support/answer.js";
import { Clinic } from "../support/clinic.js";
import { mongoDatabase, withDatabase } from "../support/mongo.js";
import { ownerAt } from "../support/owner.js";
import { type ServiceProcess, serve } from "../support/process.js";
import { clinicSeed, wideKey } from "../support/seed.js";
import { control, ownServer, restartOwnServer } from "./support/own-server.js";

const servers = 4;
/** Each key is sent by three callers. */
const [keys, callersOfAKey, atOnce] = [800, 3, 120];
const queues = ["front", "lab", "desk", "x-ray"];

/** A creation that one caller sends until it has a response that is no error of the server. */
interface Creation {
  readonly key: string;
  readonly queue: string;
  answer: Answer | null;
}

async function readiness(url: string): Promise<number> {
  return (await fetch(`${url}/readyz`)).status;
}

test.skipIf(!control)(
  "a storm of creations with shared keys: killed servers and a database that freezes and dies delay them only",
  async ({ onTestFinished }) => {
    onTestFinished(() => ownServer("wipe").then(() => {}));
    const databaseUrl = mongoDatabase(await ownServer("up"));
    const seed = clinicSeed({
      keys: [wideKey],
      queues: queues.map((ref, n) => ({ ref, name: ref, tokenSeries: "ABCD"[n] ?? "" })),
    });
    const seeded = await ownerAt(databaseUrl).seed(seed);
    const start = () => serve(databaseUrl, onTestFinished, { LOG_LEVEL: "silent" });
    const running: ServiceProcess[] = await Promise.all(Array.from({ length: servers }, start));
    const clinicAt = ({ url }: ServiceProcess) =>
      new Clinic({ url, conformance: null }, seed.slug, seeded, "10.0.0.1");

    const all: Creation[] = Array.from({ length: keys * callersOfAKey }, (_, n) => ({
      key: `key-of-the-storm-${n % keys}`,
      queue: queues[n % queues.length] ?? "",
      answer: null,
    }));
    let [answered, isCalm] = [0, false];
    const errorsInCalm: string[] = [];

    /** Sends a creation to one server after another. */
    async function send(creation: Creation, at: number): Promise<void> {
      for (let turn = at; creation.answer === null; turn++) {
        const beganInCalm = isCalm;
        const clinic = clinicAt(running[turn % servers] as ServiceProcess);
        const person = { name: `Customer of ${creation.key}`, phone: "919800000001" };
        const queueId = clinic.queue(creation.queue);
        try {
          const answer = await clinic.client().create(queueId, person, creation.key);
          if (answer.status === 201) creation.answer = answer;
          else if (answer.status !== 409 && beganInCalm) errorsInCalm.push(answer.text);
        } catch (error) {
          if (beganInCalm) errorsInCalm.push(String(error)); // otherwise its server was killed
        }
        if (creation.answer === null) await new Promise((done) => setTimeout(done, 200)); // as a client waits
      }
      answered++;
    }

    const began = performance.now();
    const pending = [...all.entries()];
    const callers = Array.from({ length: atOnce }, async () => {
      for (let next = pending.shift(); next; next = pending.shift()) await send(next[1], next[0]);
    });
    const after = (count: number) =>
      expect.poll(() => answered, { timeout: 200_000 }).toBeGreaterThanOrEqual(count);
    async function restart(at: number): Promise<void> {
      running[at]?.signal("SIGKILL");
      running[at] = await start();
    }
    const isReady = () =>
      expect
        .poll(() => Promise.all(running.map(({ url }) => readiness(url))), { timeout: 60_000 })
        .toEqual(running.map(() => 200));

    await after(200);
    await restart(0);
    await after(500);
    await ownServer("pause");
    await expect.poll(() => readiness(running[1]?.url ?? ""), { timeout: 60_000 }).toBe(503);
    await ownServer("resume");
    await isReady();
    await after(800);
    await ownServer("kill");
    await restartOwnServer();
    await isReady();
    await after(1_100);
    await restart(2);
    isCalm = true;
    await Promise.all(callers);
    const seconds = Math.round((performance.now() - began) / 1000);
    console.info(`${all.length} creations with ${keys} keys: ${seconds} s`);

    expect(errorsInCalm).toEqual([]);
    const entries = await withDatabase(databaseUrl, (db) =>
      db.collection("entries").find().toArray(),
    );
    expect(entries).toHaveLength(keys);
    const texts = new Map<string, string>();
    for (const { key, answer } of all) {
      expect(answer?.text).toBe(texts.get(key) ?? answer?.text);
      texts.set(key, answer?.text ?? "");
    }
    for (const ref of queues) {
      const inQueue = entries.filter(({ queueId }) => queueId === seeded.queues[ref]);
      expect(inQueue).toHaveLength(keys / queues.length);
    }
  },
);
