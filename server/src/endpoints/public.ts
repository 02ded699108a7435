import { apiVersion, openApiDocument, routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { Encodings } from "../lib/encodings.js";
import { ok } from "./answers.js";
import type { EndpointDeps } from "./deps.js";
import { serializedBody } from "./serialized-body.js";

export function publicEndpoints({ baseUrl, docsUrl }: EndpointDeps) {
  // cached, because it is costly to make and requests for it need no key
  let document: ReturnType<typeof describe> | undefined;
  const describe = () => {
    const made = openApiDocument({ baseUrl: baseUrl(), docsUrl: docsUrl() });
    return serializedBody<typeof made>(new Encodings(JSON.stringify(made)));
  };

  return initServer().router(routes.public, {
    openapi: async () => {
      document ??= describe();
      return { status: 200, body: document };
    },

    index: async () =>
      ok({
        name: "Queue API",
        version: apiVersion.full,
        apiVersion: apiVersion.major,
        docsUrl: docsUrl(),
        openapiUrl: `${baseUrl()}${routes.public.openapi.path}`,
      }),
  });
}
