import { apiVersion, openApiDocument, routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import { type EndpointDeps, ok } from "./deps.js";

export function publicEndpoints({ baseUrl, docsUrl }: EndpointDeps) {
  return initServer().router(routes.public, {
    openapi: async () => ({
      status: 200,
      body: openApiDocument({ baseUrl: baseUrl(), docsUrl: docsUrl() }),
    }),

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
