import { openApiDocument } from "@queue-api/contract";

/** A JSON object of the document. */
export type Json = { readonly [name: string]: unknown };

export const addresses = {
  baseUrl: "https://queue.example",
  docsUrl: "https://queue.example/docs",
} as const;

/** The document as it is sent: plain JSON. */
export const document = JSON.parse(JSON.stringify(openApiDocument(addresses))) as Json;

/** An operation and the name by which section 4 lists it, for example `GET /v1/me`. */
export interface Operation {
  readonly name: string;
  readonly operation: Json;
}

/** Everything under a path, `parameters` and the like included, so that nothing goes unseen. */
export const operations: readonly Operation[] = Object.entries(document.paths as Json).flatMap(
  ([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation: operation as Json,
    })),
);

/** What a node is or refers to. */
export function resolved(node: unknown): Json {
  const { $ref } = node as { readonly $ref?: string };
  if ($ref === undefined) return node as Json;
  return $ref
    .slice("#/".length)
    .split("/")
    .reduce<unknown>((at, part) => (at as Json)[part], document) as Json;
}

/** The answers of an operation by their status, without what stands for any other. */
export function answersOf(operation: Json): [status: number, answer: Json][] {
  const { default: _, ...answers } = operation.responses as Json;
  return Object.entries(answers).map(([status, answer]) => [Number(status), resolved(answer)]);
}

/** The error codes that an answer can carry, in the order in which it shows them. */
export function codesOf(answer: Json): string[] {
  return Object.keys((jsonContent(answer).examples ?? {}) as Json);
}

/** What a body or an answer holds, as JSON. */
export function jsonContent(holder: unknown): Json {
  return resolved((holder as { readonly content: Json }).content["application/json"]);
}
