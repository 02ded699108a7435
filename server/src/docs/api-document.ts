/** The parts of an OpenAPI document that the pages show. */
export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description?: string }>>;
  };
}

/** An object of the document, or a reference to it. */
type Or<Thing> = Thing | Reference;

export interface Reference {
  readonly $ref: string;
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Or<Parameter>[];
  readonly requestBody?: Or<{ readonly description?: string; readonly content: Content }>;
  readonly responses: Readonly<Record<string, Or<ResponseObject>>>;
}

export interface Parameter extends Exemplified {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Or<Header>>>;
  readonly content?: Content;
}

export interface Header {
  readonly description?: string;
  readonly example?: unknown;
}

type Content = Readonly<Record<string, MediaType>>;

interface MediaType extends Exemplified {
  readonly schema: Schema;
}

interface Exemplified {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, Or<{ readonly value?: unknown }>>>;
}

/** A JSON Schema in the document. */
export interface Schema extends Partial<Reference> {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** An operation with all objects that it refers to. */
export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** For example `/v1/queues/{queueId}`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly description: string; readonly media: MediaType } | null;
  readonly success: Success;
}

interface Success {
  readonly status: string;
  readonly description: string;
  readonly headers: Readonly<Record<string, Header>>;
  /** Null if the response has no JSON. */
  readonly media: MediaType | null;
}

/** The operations of a document, in document order. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      tag: operation.tags[0] ?? "",
      summary: operation.summary,
      description: operation.description ?? "",
      parameters: (operation.parameters ?? []).map((one) => resolved(document, one)),
      body: bodyOf(document, operation),
      success: successOf(document, operation),
    })),
  );
}

function bodyOf(document: ApiDocument, { requestBody }: OperationObject): Operation["body"] {
  if (!requestBody) return null;
  const { description = "", content } = resolved(document, requestBody);
  const media = content["application/json"];
  return media ? { description, media } : null;
}

function successOf(document: ApiDocument, { operationId, responses }: OperationObject): Success {
  const [status, response] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  if (!status || !response) throw new Error(`${operationId} has no success in the document`);
  const { description, headers = {}, content } = resolved(document, response);
  return {
    status,
    description,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, resolved(document, header)]),
    ),
    media: content?.["application/json"] ?? null,
  };
}

/** The object that a reference points to, following any number of references. */
export function resolved<Thing extends object>(document: ApiDocument, thing: Or<Thing>): Thing {
  if (!("$ref" in thing) || typeof thing.$ref !== "string") return thing as Thing;
  let found: unknown = document;
  for (const step of thing.$ref.replace(/^#\//, "").split("/")) {
    found = (found as Readonly<Record<string, unknown>> | undefined)?.[step];
  }
  if (!found) throw new Error(`the OpenAPI document has no ${thing.$ref}`);
  return resolved(document, found as Or<Thing>);
}

/** The fields of an object schema, including those of the schemas that it extends. */
export function fieldsOf(
  document: ApiDocument,
  schema: Schema,
): { name: string; schema: Schema; required: boolean }[] {
  const { properties = {}, required = [], allOf = [] } = resolved(document, schema);
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    required: required.includes(name),
  }));
  const inherited = allOf.flatMap((part) => fieldsOf(document, part));
  const names = new Set(own.map(({ name }) => name));
  return [...inherited.filter(({ name }) => !names.has(name)), ...own];
}

/** The example of a parameter or a body; undefined if the document gives none. */
export function exampleOf(document: ApiDocument, thing: Exemplified): unknown {
  const [first] = Object.values(thing.examples ?? {});
  const schema = resolved(document, thing.schema);
  return (
    thing.example ??
    (first && resolved(document, first).value) ??
    schema.example ??
    schema.examples?.[0]
  );
}

/** The name of the schema that a reference points to. */
export function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf("/") + 1);
}
