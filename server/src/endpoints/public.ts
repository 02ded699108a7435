import { apiVersion, openApiDocument, routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { ok } from "../http/responses.js";
import type { EndpointDeps } from "./deps.js";

export function publicEndpoints({ baseUrl, docsUrl }: EndpointDeps) {
  // made once, because it is costly and requests for it need no key
  let document: ReturnType<typeof openApiDocument> | undefined;

  return initServer().router(routes.public, {
    openapi: async () => {
      document ??= openApiDocument({ baseUrl: baseUrl(), docsUrl: docsUrl() });
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
