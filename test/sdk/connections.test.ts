import { Readable } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ConnectionError, QueueApi, version } from "../../sdk/src/index.js";
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
    expect(vi.getTimerCount()).toBe(0);
  });

  const part = { status: 200, headers: { get: () => null }, text: async () => "" };
  const headers = new Headers({ "Content-Type": "application/json" });

  test.each([
    ["nothing", undefined],
    ["a part of a Response", part],
    ["a part of a Response that failed", { ...part, status: 503 }],
    ["a Response without ok", { ...part, headers, clone: () => part }],
    [
      "a Response whose body is a stream of Node, as that of node-fetch",
      { ...part, ok: true, headers, clone: () => new Response(), body: Readable.from("{}") },
    ],
  ])("is reported when fetch returns %s", async (_, returned) => {
    const fetch = vi.fn(async () => returned as unknown as Response);
    const world = new World({ fetch });
    const failure = await world.failure(world.api.entries.get(entryId));
    expect(failure).toEqual(
      new TypeError("The fetch that the client was given returned no standard Response."),
    );
    expect(fetch).toHaveBeenCalledOnce();
  });

  test.each<[string, (response: Response) => unknown]>([
    ["has read", (response) => response.text()],
    ["has begun to read", ({ body }) => body?.getReader()],
  ])(
    "is reported when fetch returns a Response whose body it %s, as to log it",
    async (_, read) => {
      const fetch = vi.fn(async () => {
        const response = Response.json(entry);
        await read(response);
        return response;
      });
      const world = new World({ fetch });
      const failure = await world.failure(world.api.entries.create(queueId, customer1));
      expect(failure).toEqual(
        new TypeError(
          "The fetch that the client was given has read the body of its Response: read a clone() instead.",
        ),
      );
      expect(fetch).toHaveBeenCalledOnce();
    },
  );
});

test.each([200, 404, 503])(
  "a fetch can return the same Response of status %i again, as that of a test does",
  async (status) => {
    const fetch = vi.fn().mockResolvedValue(Response.json(entry, { status }));
    const world = new World({ fetch });
    const expected = status === 200 ? { value: entry.data } : { reason: { status } };
    for (const _ of ["first", "second"]) {
      const [result] = await world.run(Promise.allSettled([world.api.entries.get(entryId)]));
      expect(result).toMatchObject(expected);
    }
  },
);

describe("a network failure", () => {
  const failed = (message: string, code?: string) =>
    Object.assign(new Error(message), code && { code });
  const ofNode = (cause: Error) => new TypeError("fetch failed", { cause });

  async function expectFailure(thrown: Error, outcome: "none" | "unknown", reason: string) {
    const fetch = vi.fn(() => Promise.reject(thrown));
    const world = new World({ fetch, maxRetries: 1 });
    const { name, message } = thrown;
    expect(await world.failure(world.api.entries.create(queueId, customer1))).toMatchObject({
      name: "ConnectionError",
      message: `entries.create: no response from queue.example:80${reason && ": "}${reason}.`,
      outcome,
      cause: { name, message },
    });
    expect(fetch).toHaveBeenCalledTimes(2);
  }

  test.each([
    ["ECONNREFUSED", "none", "the connection was refused"],
    ["ECONNRESET", "unknown", "the connection was reset"],
    ["ENOTFOUND", "none", "the host name is not known"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "none", "the certificate is not trusted"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "none", "the certificate is for another host"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "none", "the server does not speak TLS"],
    // Bun before 1.4
    ["ConnectionRefused", "none", "no connection could be made"],
    ["FailedToOpenSocket", "none", "no connection could be made"],
    ["ConnectionClosed", "unknown", "the connection was closed"],
    ["UNKNOWN_CERTIFICATE_VERIFICATION_ERROR", "none", "the certificate is not trusted"],
    ["Malformed_HTTP_Response", "unknown", "the response is not valid HTTP"],
  ] as const)("with the code %s has the outcome %s: %s", async (code, outcome, reason) => {
    for (const thrown of [ofNode(failed("it failed", code)), failed("it failed", code)]) {
      await expectFailure(thrown, outcome, `${reason} (${code})`);
    }
  });

  const circle: Error = new TypeError("fetch failed");
  circle.cause = circle;
  const several = new AggregateError([failed("no", "ENOWAY")]);
  const cause = failed("no", "ECONNREFUSED");
  const emptyList = Object.assign(failed("no", "EX"), { errors: [], cause });
  const refused = "the connection was refused (ECONNREFUSED)";
  const notRouted = "no route to host (EHOSTUNREACH)";
  const noNetwork = "no route to the network (ENETUNREACH)";
  const reset = "the connection was reset (ECONNRESET)";
  const closed = "the connection was closed (EPIPE)";
  const noTls = "Socket disconnected before secure TLS connection";
  const ofDeno = "error sending request for url (http://queue.example/)";
  const notSent = "tcp connect error: Connection refused (os error 111)";
  const blocked = "Requests to port 1 are blocked";

  test.each<[string, Error, outcome: "none" | "unknown", reason: string]>([
    ["several addresses", ofNode(several), "unknown", "ENOWAY"],
    ["an empty list of errors", ofNode(emptyList), "none", refused],
    ["itself as its cause", circle, "unknown", ""],
    ["a closed handshake", ofNode(failed(noTls, "ECONNRESET")), "none", reset],
    ["no route", ofNode(failed("connect EHOSTUNREACH", "EHOSTUNREACH")), "none", notRouted],
    ["no network", ofNode(failed("connect ENETUNREACH", "ENETUNREACH")), "none", noNetwork],
    ["a lost route", ofNode(failed("read EHOSTUNREACH", "EHOSTUNREACH")), "unknown", notRouted],
    ["no code", ofNode(failed("connect EHOSTUNREACH ::1:80")), "none", "connect EHOSTUNREACH"],
    ["no code of Bun", ofNode(failed("Unable to connect. Is it?")), "none", "Unable to connect"],
    ["a word like a code", ofNode(failed("connect E.", "EPIPE")), "unknown", closed],
    ["a word like a code, later", ofNode(failed("never connect EPIPE")), "unknown", ""],
    ["a text that quotes Bun", ofNode(failed("not unable to connect", "EPIPE")), "unknown", closed],
    ["a blocked port", ofNode(failed("bad port")), "none", "bad port"],
    ["a blocked port of Deno", new TypeError(`Fetch failed: ${blocked}`), "none", blocked],
    ["Deno", new TypeError(ofDeno), "unknown", ""],
    ["Deno, closed", new TypeError(`${ofDeno}: client error (SendRequest): closed`), "unknown", ""],
    [
      "Deno, refused",
      new TypeError(`${ofDeno}: client error (Connect): ${notSent}`),
      "none",
      notSent,
    ],
    [
      "Bun before 1.4",
      failed("pass `verbose: true` in the second argument to fetch()"),
      "unknown",
      "",
    ],
    ["Chromium, and msw", new TypeError("Failed to fetch"), "unknown", ""],
    ["Firefox", new TypeError("NetworkError when attempting to fetch resource."), "unknown", ""],
    ["Safari", new TypeError("Load failed"), "unknown", ""],
    ["Cloudflare's workers", failed("Network connection lost."), "unknown", ""],
    ["Cloudflare's workers, inside", failed("internal error; reference = 5q0v"), "unknown", ""],
    ["another client of this package", new ConnectionError("no response"), "unknown", ""],
    ["a timeout of fetch", new DOMException("It took too long.", "TimeoutError"), "unknown", ""],
  ])("is recognized by its form or its text: %s", (_, thrown, outcome, reason) =>
    expectFailure(thrown, outcome, reason),
  );
});
