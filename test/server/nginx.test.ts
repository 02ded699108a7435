import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { expectStatus } from "../support/expect.js";
import { temporaryFolder } from "../support/folder.js";
import { freePort } from "../support/project.js";
import { RawConnection, rawRequest } from "../support/raw.js";
import { testService } from "../support/service.js";

/** Whether this machine has nginx. Otherwise, the tests that need it are skipped, with the reason in their titles. */
const hasNginx = spawnSync("nginx", ["-v"]).status === 0;
if (!hasNginx) console.warn("SKIPPED: the tests behind nginx. Install nginx to run them.");

/** The documented configuration for these instances, without TLS. */
async function configuration(port: number, instances: readonly string[]): Promise<string> {
  const text = await readFile(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const [, block = ""] = /^```nginx\n(.*?)^```$/ms.exec(text) ?? [];
  const addresses = [...instances];
  return block
    .replaceAll(/server 10\.0\.0\.1\d:3000/g, () => `server ${addresses.shift()}`)
    .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
    .replace(/^ *http2 on;.*\n/m, "");
}

/** Runs nginx with the documented configuration in front of two instances (host and port). Returns its address. */
async function nginx(instances: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
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
  onTestFinished(async () => {
    const exited = once(child, "exit");
    if (child.kill("SIGQUIT")) await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: 30_000 });
  return url;
}

const service = await testService();
const instance = new URL(service.url).host;
const nowhere = "127.0.0.1:1";

/** Sends a request and returns its response, which has the form of the service's responses. */
async function answered(url: string, method: string, body = "", headers = {}) {
  const sent = request(url, { method, agent: false, headers });
  const response = once(sent, "response");
  sent.end(body);
  const [message] = await response;
  const { error } = JSON.parse(await text(message));
  expect(message.headers["content-type"]).toMatch(/^application\/json/);
  expect(message.headers["x-request-id"]).toBe(error.requestId);
  expect(error).toMatchObject({
    message: expect.any(String),
    requestId: expect.stringMatching(
      /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    ),
    docUrl: expect.stringMatching(new RegExp(`^http://[^/]+/docs/errors#${error.code}$`)),
  });
  return {
    status: message.statusCode,
    code: error.code,
    byService: "api-version" in message.headers,
  };
}

describe.skipIf(!hasNginx)("behind the documented nginx", () => {
  test("refusals of the service come through unchanged", async () => {
    const url = await nginx([instance, instance]);
    const clinic = await service.clinic();
    const headers = {
      Authorization: `Bearer ${clinic.key()}`,
      "Content-Type": "application/json",
    };
    const entries = `${url}/v1/queues/${clinic.queue()}/entries`;
    const refused = (status: number, code: string) => ({ status, code, byService: true });
    const body = "a".repeat(40_000);
    expect(await answered(entries, "POST", body, headers)).toEqual(
      refused(413, "payload_too_large"),
    );
    for (const method of ["PUT", "PROPFIND"])
      expect(await answered(entries, method, "", headers)).toEqual(refused(404, "not_found"));
    const large = { ...headers, "X-Large": "a".repeat(20_000) };
    expect(await answered(`${url}/v1/me`, "GET", "", large)).toEqual(
      refused(400, "invalid_request"),
    );
  });

  test("a request of HTTP/1.0 without a Host gets its response", async () => {
    const url = await nginx([instance, instance]);
    const connection = await RawConnection.open({ url, conformance: null });
    connection.send(rawRequest("GET /v1 HTTP/1.0", ["Accept: */*"]));
    expectStatus(await connection.answer("GET", "/v1"), 200);
  });

  test("refusals by nginx have the form of the service", async () => {
    const url = await nginx([instance, instance]);
    const refused = (status: number, code: string) => ({ status, code, byService: false });
    const me = `${url}/v1/me`;
    expect(await answered(me, "POST", "a".repeat(70_000))).toEqual(
      refused(413, "payload_too_large"),
    );
    expect(await answered(me, "TRACE")).toEqual(refused(404, "not_found"));
    expect(await answered(`${url}/nginx-error`, "GET")).toEqual(refused(404, "not_found"));
    const large = { "X-Large": "a".repeat(40_000) };
    expect(await answered(me, "GET", "", large)).toEqual(refused(400, "invalid_request"));
    const coded = { "Transfer-Encoding": "gzip, chunked" };
    expect(await answered(me, "POST", "", coded)).toEqual(refused(400, "invalid_request"));
    expect(await answered(me, "TRACE", "", { Host: 'a"b\\c' })).toEqual(refused(404, "not_found"));
    const long = `${me}?${"a".repeat(40_000)}`;
    expect(await answered(long, "GET")).toEqual(refused(400, "invalid_request"));
  });

  test("the error for an unreachable service has the form of the service", async () => {
    const url = await nginx([nowhere, nowhere]);
    const answer = await answered(`${url}/v1/me`, "GET");
    expect(answer).toEqual({ status: 502, code: "internal_error", byService: false });
  });
});
