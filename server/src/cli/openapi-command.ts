import { openApiDocument } from "@queue-api/contract";
import { readConfig } from "../config.js";
import { listeningUrl } from "../lib/http-server.js";
import type { QueueApiCommand } from "./command.js";
import { print } from "./output.js";

/** `queue-api openapi` */
export function addOpenApiCommand(program: QueueApiCommand): void {
  program
    .command("openapi")
    .description("print the OpenAPI 3.1 document; BASE_URL and DOCS_URL set its addresses")
    .examples("queue-api openapi > openapi.json")
    .printsJson("the same document")
    .action(() => {
      const config = readConfig(process.env);
      const { baseUrl, docsUrl } = config;
      const base = baseUrl ?? listeningUrl(config, config.port);
      const json = openApiDocument({ baseUrl: base, docsUrl: docsUrl ?? `${base}/docs` });
      print({ json, text: "" }, true);
    });
}
