import { chmod, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cli, failure, newCli, runCommand } from "./command.js";
import { sunrise } from "./fixtures.js";
import { endServers, serve } from "./serving.js";

let cli: Cli;
let env: { DATABASE_URL: string };

beforeEach(async () => {
  cli = await newCli();
  env = { DATABASE_URL: cli.database };
});

afterEach(async () => {
  await endServers();
  await cli.remove();
});

/** Seeds the clinic and returns a queue and a key. */
async function clinic() {
  const { businesses } = await cli.seed(sunrise);
  const { queues, keys } = businesses.sunrise ?? {};
  if (!queues?.front || !keys?.kiosk) throw new Error("The seed printed no queue or no key.");
  return { queueId: queues.front, key: keys.kiosk };
}

describe("serve", () => {
  it("prints one line when it is ready to serve requests", async () => {
    const server = await serve([], env);
    expect(server.printed).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(await fetch(`${server.url}/v1`)).toMatchObject({ status: 200 });
  });

  it("prints one document with --json", async () => {
    const server = await serve(["--json"], env);
    expect(JSON.parse(server.printed)).toEqual({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
  });

  it("warns once of a database file that other users can read, and not of its own", async () => {
    const file = cli.database.slice("file:".length);
    for (const [mode, times] of [
      [0o600, 0],
      [0o644, 1],
    ] as const) {
      await writeFile(file, "", { flag: "a" });
      await chmod(file, mode);
      const server = await serve([], { ...env, LOG_LEVEL: "warn" });
      server.signal("SIGTERM");
      const { stderr } = await server.ended;
      expect(stderr.match(/has the mode 0644.*chmod 600/g) ?? []).toHaveLength(times);
    }
  });

  it("prefers its options to the environment", async () => {
    const settings = { HOST: "203.0.113.7", PORT: "1", DATABASE_URL: "nowhere:" };
    const server = await serve(["--host", "127.0.0.1", "--database", cli.database], settings);
    expect(await fetch(`${server.url}/v1`)).toMatchObject({ status: 200 });
  });

  it("explains what to do when the port is in use", async () => {
    const { port } = new URL((await serve([], env)).url);
    const second = await runCommand(["serve", "--port", port], "", { DATABASE_URL: "memory:" });
    expect(second).toEqual(failure(1, /^the port is taken; choose another with --port/));
  });

  it("explains what to do when the host is not an address of this machine", async () => {
    const args = ["serve", "--port", "0", "--host", "203.0.113.7"];
    const run = await runCommand(args, "", { DATABASE_URL: "memory:" });
    expect(run).toEqual(failure(1, /choose another with --host/));
  });
});

describe("the owner's commands beside a running server", () => {
  it("take effect on the next request", async () => {
    const { queueId, key } = await clinic();
    const { url } = await serve([], env);
    const headers = { Authorization: `Bearer ${key}` };
    const status = async () => (await fetch(`${url}/v1/queues`, { headers })).status;
    const create = async () => {
      const body = JSON.stringify({ name: "Customer 1", phone: "919800000001" });
      const request = {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body,
      };
      return (await fetch(`${url}/v1/queues/${queueId}/entries`, request)).status;
    };

    expect(await create()).toBe(201);
    await cli.json(["queue", "pause", queueId]);
    expect(await create()).toBe(409);
    await cli.json(["queue", "resume", queueId]);
    await cli.json(["business", "set", "sunrise", "--daily-limit", "0"]);
    expect(await create()).toBe(403);
    await cli.json(["business", "set", "sunrise", "--access", "off"]);
    expect(await status()).toBe(403);
    await cli.json(["business", "set", "sunrise", "--access", "on"]);
    expect(await status()).toBe(200);
    await cli.json(["key", "revoke", key.split("_")[2] ?? ""]);
    expect(await status()).toBe(401);
  });

  it("show the audit log, newest first, without bodies and keys", async () => {
    const { key } = await clinic();
    const server = await serve([], env);
    const headers = { Authorization: `Bearer ${key}` };
    await fetch(`${server.url}/v1/me`, { headers });
    const last = await fetch(`${server.url}/v1/appointments`, { headers });
    server.signal("SIGTERM");
    await server.ended;

    const rows = await cli.json<object[]>(["audit", "--business", "sunrise"]);
    expect(rows).toEqual([
      {
        at: expect.stringMatching(/Z$/),
        keyId: key.split("_")[2],
        account: null,
        method: "GET",
        path: "/v1/appointments",
        status: 403,
        ip: "127.0.0.1",
        requestId: last.headers.get("X-Request-Id"),
        count: 1,
        lastAt: (rows[0] as { at: string }).at,
      },
      expect.objectContaining({ path: "/v1/me", status: 200 }),
    ]);
    expect(await cli.json(["audit", "--business", "sunrise", "--limit", "1"])).toEqual([rows[0]]);
    const { stdout } = await cli.run(["audit", "--business", "sunrise"]);
    expect(stdout).toMatch(/^AT +UNTIL +REQUESTS +METHOD +PATH +STATUS/);
  });
});
