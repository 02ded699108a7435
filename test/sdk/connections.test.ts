import { afterEach, describe, expect, test, vi } from "vitest";
import { QueueApi, version } from "../../sdk/src/index.js";
import { anEntry, apiKey, customer1, entryId, giving, queueId } from "./support/examples.js";
import { World } from "./support/world.js";

const entry = { data: anEntry() };

describe("requests are sent by", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("the global fetch at the time of the request", async () => {
    const { api } = new World({});
    for (const fetch of [giving(entry), giving(entry)]) {
      vi.stubGlobal("fetch", fetch);
      await api.entries.get(entryId);
      expect(fetch).toHaveBeenCalledOnce();
    }
  });

  test("the option fetch alone, which receives a URL string and a plain init with cache: no-store", async () => {
    const [fetch, global] = [giving(entry), giving(entry)];
    vi.stubGlobal("fetch", global);
    const api = new QueueApi({ apiKey, baseUrl: "http://queue.example", fetch });
    await api.entries.create(queueId, customer1, { idempotencyKey: "kiosk-7-0042" });
    expect(global).not.toHaveBeenCalled();
    const [url, init] = fetch.mock.calls[0] ?? [];
    expect(url).toBe(`http://queue.example/v1/queues/${queueId}/entries`);
    expect(init).toEqual({
      method: "POST",
      headers: {
        accept: "application/json",
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": "kiosk-7-0042",
        "user-agent": `queue-api-sdk/${version}`,
      },
      body: JSON.stringify(customer1),
      signal: expect.any(AbortSignal),
      redirect: "manual",
      cache: "no-store",
    });
  });
});

describe("an error of fetch that is not a network failure", () => {
  class DynamicServerError extends Error {
    readonly digest = "DYNAMIC_SERVER_USAGE";
  }

  test.each([
    ["a control-flow error of a framework", new DynamicServerError("Dynamic server usage")],
    ["a bug", new TypeError("Cannot read properties of undefined (reading 'body')")],
    [
      "a header that it refuses to send",
      new TypeError("fetch failed", {
        cause: Object.assign(new Error("invalid header"), { code: "UND_ERR_INVALID_ARG" }),
      }),
    ],
    ["a wrong argument", Object.assign(new TypeError("bad"), { code: "ERR_INVALID_ARG_TYPE" })],
    ["an object that is not an Error", { digest: "BAILOUT_TO_CLIENT_SIDE_RENDERING" }],
    ...["UNABLE_TO_PARSE_RESPONSE", "CERT_STORE_LOCKED", "NO_SELF_SIGNED_CERTS", "HPE_42"].map(
      (code): [string, unknown] => [code, Object.assign(new Error("a bug"), { code })],
    ),
    ["an error of the file system", Object.assign(new Error("no file"), { code: "ENOENT" })],
  ])("is passed on unchanged, without a retry: %s", async (_, thrown) => {
    const fetch = vi.fn(() => Promise.reject(thrown));
    const world = new World({ fetch });
    expect(await world.failure(world.api.entries.get(entryId))).toBe(thrown);
    expect(fetch).toHaveBeenCalledOnce();
    expect(world.responses).toMatchObject([{ attempt: 1, status: null }]);
    expect(world.clock.pending).toBe(0);
  });

  const part = { status: 200, headers: { get: () => null }, text: async () => "" };
  const headers = new Headers({ "Content-Type": "application/json" });

  test.each([
    ["nothing", undefined],
    ["a part of a Response", part],
    ["a part of a Response that failed", { ...part, status: 503 }],
    ["a Response without ok", { ...part, headers, clone: () => part }],
  ])("is reported when fetch returns %s", async (_, returned) => {
    const fetch = vi.fn(async () => returned as unknown as Response);
    const world = new World({ fetch });
    const failure = await world.failure(world.api.entries.get(entryId));
    expect(failure).toEqual(
      new TypeError("The fetch that the client was given returned no Response."),
    );
    expect(fetch).toHaveBeenCalledOnce();
  });
});

describe("a network failure", () => {
  test("without a connection has the reason of its message, if there is no code", async () => {
    const reasons = ["connect EHOSTUNREACH ::1:80", "Unable to connect. Is the computer online?"];
    for (const reason of [...reasons, "never connect E."]) {
      const thrown = new TypeError("fetch failed", { cause: new Error(reason) });
      const world = new World({ fetch: () => Promise.reject(thrown), maxRetries: 0 });
      const { message } = (await world.failure(world.api.entries.get(entryId))) as Error;
      const [why] = /^(connect E[A-Z]+|Unable to connect)/.exec(reason) ?? [];
      expect(message).toBe(
        `entries.get: no response from queue.example:80${why ? `: ${why}` : ""}.`,
      );
    }
  });

  const coded = (code: string) => Object.assign(new Error("it failed"), { code });
  const ofNode = (cause: Error) => new TypeError("fetch failed", { cause });
  const ofBun = new TypeError("ECONNRESET: The socket was closed.");

  test.each<[string, Error, because?: string]>([
    ["Node", ofNode(coded("ECONNREFUSED")), ": the connection was refused (ECONNREFUSED)"],
    ["a wrong name", ofNode(coded("ENOTFOUND")), ": the host name is not known (ENOTFOUND)"],
    [
      "a certificate",
      ofNode(coded("DEPTH_ZERO_SELF_SIGNED_CERT")),
      ": the certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)",
    ],
    [
      "no TLS",
      ofNode(coded("ERR_SSL_WRONG_VERSION_NUMBER")),
      ": the server does not speak TLS (ERR_SSL_WRONG_VERSION_NUMBER)",
    ],
    ["several addresses", ofNode(new AggregateError([coded("ENOWAY")])), ": ENOWAY"],
    ["Node, for a blocked port", ofNode(new Error("bad port")), ": bad port"],
    ["Bun", Object.assign(ofBun, coded("ECONNRESET")), ": the connection was reset (ECONNRESET)"],
    [
      "Bun before 1.4",
      Object.assign(new Error("Unable to connect."), { code: "ConnectionRefused" }),
      ": no connection could be made (ConnectionRefused)",
    ],
    [
      "Bun before 1.4, for a certificate",
      Object.assign(new Error("no"), { code: "UNKNOWN_CERTIFICATE_VERIFICATION_ERROR" }),
      ": the certificate is not trusted (UNKNOWN_CERTIFICATE_VERIFICATION_ERROR)",
    ],
    [
      "Bun before 1.4, for another server",
      Object.assign(new Error("no"), { code: "Malformed_HTTP_Response" }),
      ": the response is not valid HTTP (Malformed_HTTP_Response)",
    ],
    [
      "Bun before 1.4, for anything else",
      new Error("pass `verbose: true` in the second argument to fetch()"),
    ],
    ["Deno", new TypeError("error sending request for url (http://queue.example/)")],
    [
      "Deno, without a connection",
      ofNode(
        new Error(
          "error sending request for url (http://queue.example/): client error (Connect): tcp connect error: Connection refused (os error 111)",
        ),
      ),
      ": tcp connect error: Connection refused (os error 111)",
    ],
    ["Chromium, and msw", new TypeError("Failed to fetch")],
    ["Firefox", new TypeError("NetworkError when attempting to fetch resource.")],
    ["Safari", new TypeError("Load failed")],
    ["Cloudflare's workers", new Error("Network connection lost.")],
    ["Cloudflare's workers, without a reason", new Error("internal error; reference = 5q0v")],
    ["a library", coded("ECONNRESET"), ": the connection was reset (ECONNRESET)"],
    ["a timeout of fetch itself", new DOMException("It took too long.", "TimeoutError")],
  ])(
    "is recognized by the error of %s, and its message says why",
    async (_, thrown, because = "") => {
      const fetch = vi.fn(() => Promise.reject(thrown));
      const world = new World({ fetch, maxRetries: 1 });
      const { name, message } = thrown;
      expect(await world.failure(world.api.entries.get(entryId))).toMatchObject({
        name: "ConnectionError",
        message: `entries.get: no response from queue.example:80${because}.`,
        cause: { name, message },
      });
      expect(fetch).toHaveBeenCalledTimes(2);
    },
  );
});

test("a network failure that is its own cause is a failed connection", async () => {
  const circle: Error = new TypeError("fetch failed");
  circle.cause = circle;
  const world = new World({ fetch: () => Promise.reject(circle), maxRetries: 0 });
  const failure = await world.failure(world.api.entries.get(entryId));
  expect(failure).toMatchObject({ name: "ConnectionError", cause: { message: "fetch failed" } });
});
