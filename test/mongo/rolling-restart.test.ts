import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, type OnTestFinishedHandler, test, vi } from "vitest";
import { customer1 } from "../support/client.js";
import { Clinic } from "../support/clinic.js";
import { mongoDatabase, mongoServer, withDatabase } from "../support/mongo.js";
import { ownerByCommand } from "../support/owner.js";
import { type ServiceProcess, serve } from "../support/process.js";
import { clinicSeed, wideKey } from "../support/seed.js";

vi.setConfig({ testTimeout: 120_000 });

const hasNginx = spawnSync("nginx", ["-v"]).status === 0;
if (!hasNginx) console.warn("SKIPPED: rolling restarts behind nginx. Install nginx to run them.");

type AtEnd = (end: OnTestFinishedHandler) => void;

/** The configuration that the operator is told to use, in front of these instances and without TLS. */
async function configuration(port: number, instances: readonly string[]): Promise<string> {
  const text = await readFile(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const [, block = ""] = /^```nginx\n(.*?)^```$/ms.exec(text) ?? [];
  const addresses = [...instances];
  return block
    .replaceAll(/server 10\.0\.0\.1\d:3000/g, () => `server ${addresses.shift()}`)
    .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
    .replace(/^ *http2 on;.*\n/m, "");
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Runs nginx in front of the instances; gives its address. */
async function nginx(instances: readonly string[], atEnd: AtEnd): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-nginx-"));
  atEnd(() => rm(folder, { recursive: true }));
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, "nginx.conf");
  await writeFile(
    file,
    `daemon off; pid ${folder}/pid; error_log stderr; events {}
     http { access_log off; ${temporary.join(" ")} ${await configuration(port, instances)} }`,
  );
  const child = spawn("nginx", ["-p", folder, "-c", file], { stdio: "ignore" });
  atEnd(async () => {
    const exited = once(child, "exit");
    if (child.kill("SIGQUIT")) await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  const answers = async () => (await fetch(`${url}/healthz`)).status;
  await vi.waitFor(async () => expect(await answers()).toBe(200), { timeout: 10_000 });
  return url;
}

/** As the operator is told: SIGTERM, wait for its end, start it at the same place, wait until it is ready. */
async function restarted(
  instance: ServiceProcess,
  databaseUrl: string,
  atEnd: AtEnd,
): Promise<ServiceProcess> {
  instance.signal("SIGTERM");
  expect(await instance.exited).toEqual({ code: 0, signal: null });
  const next = await serve(databaseUrl, atEnd, { PORT: new URL(instance.url).port });
  expect((await fetch(`${next.url}/readyz`)).status).toBe(200);
  return next;
}

describe.skipIf(!hasNginx || mongoServer === null)("two instances behind nginx", () => {
  test("are restarted one after the other, and no client without retries notices", async ({
    onTestFinished,
  }) => {
    const database = mongoDatabase();
    onTestFinished(database.remove);
    const seed = clinicSeed({ keys: [wideKey] });
    const seeded = await ownerByCommand(database.url).seed(seed);
    const start = () => serve(database.url, onTestFinished);
    const instances = await Promise.all([start(), start()]);
    const places = instances.map(({ url }) => new URL(url).host);
    const url = await nginx(places, onTestFinished);
    const clinic = new Clinic({ url, conformance: null }, seed.slug, seeded, "10.0.0.1");

    let stopped = false;
    const statuses: number[] = [];
    const numbers: number[] = [];
    const sender = async () => {
      while (!stopped) {
        const { status, data } = await clinic.client().create(clinic.queue(), customer1);
        statuses.push(status);
        numbers.push(data.tokenNumber);
      }
    };
    const sending = Promise.all([sender(), sender(), sender()]);
    for (const instance of instances) await restarted(instance, database.url, onTestFinished);
    stopped = true;
    await sending;

    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(new Set(numbers).size).toBe(numbers.length);
    const kept = await withDatabase(database.url, (db) =>
      db.collection("entries").countDocuments(),
    );
    expect(kept).toBe(numbers.length);
  });
});
