import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Json } from "../contract/document.js";
import { atEnd } from "../support/at-end.js";
import { everyScope, mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { workFolder } from "./toolchain.js";

/** The environment of a generated client for the whole flow: a real service, and a server that fails. */
export interface Stage {
  readonly folder: string;
  /** The served OpenAPI document. */
  readonly document: Json;
  /** The path of a file with the document. */
  readonly documentFile: string;
  /** The environment variables of the program. */
  readonly env: Readonly<Record<string, string>>;
}

export async function stage(): Promise<Stage> {
  const folder = await workFolder();
  const service = await testService();
  const served = await service.stranger().get("/v1/openapi.json");
  const documentFile = join(folder, "openapi.json");
  await writeFile(documentFile, served.text);

  const entries = [1, 2, 3].map((at) => ({ name: `Customer ${at}`, phone: "919800000001" }));
  const clinic = await service.clinic({
    queues: [{ ref: "front", name: "Front desk", entries }],
    keys: [
      mainKey,
      { ref: "read", name: "Reads", scopes: ["queue:read"] },
      { ref: "once", name: "Asks once", scopes: everyScope, requestsPerMinute: 1 },
    ],
  });
  return {
    folder,
    document: served.json as Json,
    documentFile,
    env: {
      BASE_URL: service.url,
      FAILING_URL: await failingServer(),
      QUEUE_ID: clinic.queue(),
      MAIN_KEY: clinic.key("main"),
      READ_KEY: clinic.key("read"),
      ONCE_KEY: clinic.key("once"),
    },
  };
}

/** The expected output of every client: the flow, and an error of each status with the fields of its code. */
export const journey = {
  me: "Sunrise Clinic",
  services: ["Consultation"],
  queues: ["Front desk"],
  created: [201, "A4", 4],
  located: true,
  replayed: ["true", true],
  pages: [["A1", "A2", "A3"], ["A4"]],
  canceled: "CANCELED",
  refused: [
    "400 invalid_request name phone",
    "401 unauthorized",
    "403 insufficient_scope queue:write",
    "404 not_found",
    "409 invalid_state",
    "413 payload_too_large",
    "415 unsupported_media_type",
    "422 idempotency_key_reuse",
    "429 rate_limited",
    "500 internal_error",
    "403 region_blocked",
    "502 without an error",
  ],
};

/** A server on which every request fails: with 500, with a code of a later version, or at a gateway. */
async function failingServer(): Promise<string> {
  const requestId = "0d5b8b0e-6a55-4b4c-9a51-8f7a5f0d8c11";
  const failures: Readonly<Record<string, readonly [status: number, code: string]>> = {
    failing: [500, "internal_error"],
    region_blocked: [403, "region_blocked"],
  };
  const server = createServer((req, res) => {
    const [, name = ""] = req.url?.split("/") ?? [];
    const [status, code] = failures[name] ?? [];
    if (!status || !code) {
      res.writeHead(502, { "Content-Type": "text/html" }).end("<h1>502 Bad Gateway</h1>");
      return;
    }
    const docUrl = `https://queue.example/docs/errors#${code}`;
    const headers = {
      "Content-Type": "application/json; charset=utf-8",
      "X-Request-Id": requestId,
      "API-Version": "v1",
      "RateLimit-Limit": "120",
      "RateLimit-Remaining": "119",
      "RateLimit-Reset": "60",
      "RateLimit-Policy": '"requests";q=120;w=60, "writes";q=30;w=60',
      "Cache-Control": "no-store",
    };
    const error = { code, message: "Refused.", requestId, docUrl };
    res.writeHead(status, headers).end(JSON.stringify({ error }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(async () => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
