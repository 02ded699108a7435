import { openApiDocument } from "@queue-api/contract";

/** A JSON object of the document. */
export type Json = { readonly [name: string]: unknown };

const baseUrl = "https://queue.example";

/** The document as plain JSON, as it is sent. */
export const document = JSON.parse(
  JSON.stringify(openApiDocument({ baseUrl, docsUrl: `${baseUrl}/docs` })),
) as Json;

/** An operation and its name in section 4, for example `GET /v1/me`. */
export interface Operation {
  readonly name: string;
  readonly operation: Json;
}

/** Every member of each path, including `parameters`, so that no member is missed. */
export const operations: readonly Operation[] = Object.entries(document.paths as Json).flatMap(
  ([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation: operation as Json,
    })),
);

/** A node, or the target of its reference. */
export function resolved(node: unknown): Json {
  const { $ref } = node as { readonly $ref?: string };
  if ($ref === undefined) return node as Json;
  return $ref
    .slice("#/".length)
    .split("/")
    .reduce<unknown>((at, part) => (at as Json)[part], document) as Json;
}

/** The responses of an operation by status, without `default`. */
export function answersOf(operation: Json): [status: number, answer: Json][] {
  const { default: _, ...answers } = operation.responses as Json;
  return Object.entries(answers).map(([status, answer]) => [Number(status), resolved(answer)]);
}

/** The JSON content of a body or a response. */
export function jsonContent(holder: unknown): Json {
  return resolved((holder as { readonly content: Json }).content["application/json"]);
}
