import { apiVersion, openApiDocument, routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { type EndpointDeps, ok } from "./deps.js";

export function publicEndpoints({ baseUrl, docsUrl }: EndpointDeps) {
  let document: ReturnType<typeof openApiDocument> | undefined; // costly to make, and anybody may ask

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
