import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Json } from "../contract/document.js";
import { atEnd } from "../support/at-end.js";
import { temporaryFolder } from "../support/folder.js";
import { listen } from "../support/listen.js";
import { mainKey } from "../support/seed.js";
import { testService } from "../support/service.js";

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
  const folder = temporaryFolder();
  const service = await testService();
  const served = await service.stranger().get("/v1/openapi.json");
  const documentFile = join(folder, "openapi.json");
  await writeFile(documentFile, served.text);

  const entries = [1, 2, 3].map((at) => ({ name: `Customer ${at}`, phone: "919800000001" }));
  const clinic = await service.clinic({
    queues: [{ ref: "front", name: "Front desk", entries }],
    keys: [mainKey, { ref: "read", name: "Reads", scopes: ["queue:read"] }],
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
    },
  };
}

/** The expected output of every client: the flow, and an error of each shape. */
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
    "403 insufficient_scope queue:write",
    "409 invalid_state",
    "403 region_blocked",
    "502 without an error",
  ],
};

/** A server on which every request fails: with a code of a later version, or at a gateway. */
async function failingServer(): Promise<string> {
  const server = createServer((req, res) => {
    if (!req.url?.startsWith("/region_blocked/")) {
      res.writeHead(502, { "Content-Type": "text/html" }).end("<h1>502 Bad Gateway</h1>");
      return;
    }
    const error = {
      code: "region_blocked",
      message: "Refused.",
      requestId: "0d5b8b0e-6a55-4b4c-9a51-8f7a5f0d8c11",
      docUrl: "https://queue.example/docs/errors#region_blocked",
    };
    res.writeHead(403, { "Content-Type": "application/json; charset=utf-8" });
    res.end(JSON.stringify({ error }));
  });
  atEnd(async () => void server.close());
  return listen(server);
}
