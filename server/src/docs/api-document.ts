export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** What a request or a response holds. Without a schema, it is not JSON. */
interface Content {
  readonly description: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Header {
  readonly description?: string;
  readonly example?: unknown;
}

/** A JSON Schema in the document. */
export interface Schema {
  /** The name of a schema that the document names. */
  readonly named?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A body in the document itself. */
interface Body {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Omit<Content, "description">>>;
}

/** The document itself, without its references. */
interface Source {
  readonly info: Readonly<Record<"version" | "summary" | "description", string>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, SourceOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description?: string }>>;
  };
}

interface SourceOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

export type ApiDocument = ReturnType<typeof readDocument>;

/** The OpenAPI document as the pages need it: each reference is replaced by the object that it refers to. */
export function readDocument(openApi: object) {
  const { info, tags, paths, components } = withoutReferences(openApi, openApi) as Source;
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => operationOf(method, path, operation)),
  );
  const { schemas, securitySchemes } = components;
  /** How callers prove who they are, in Markdown. */
  const authentication = Object.values(securitySchemes).map(({ description = "" }) => description);
  return { info, tags, operations, schemas, authentication };
}

export type Operation = ReturnType<typeof operationOf>;

function operationOf(method: string, path: string, operation: SourceOperation) {
  const { operationId: id, tags, summary, description = "", parameters = [] } = operation;
  const { requestBody, responses } = operation;
  const [status, response] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  if (!status || !response) throw new Error(`${id} has no success in the document`);
  return {
    id,
    method: method.toUpperCase(),
    path,
    tag: tags[0] ?? "",
    summary,
    description,
    parameters,
    body: requestBody ? contentOf(requestBody) : null,
    success: { status, headers: response.headers ?? {}, ...contentOf(response) },
  };
}

function contentOf({ description = "", content }: Body): Content {
  return { description, ...content?.["application/json"] };
}

/** A part of the document. In place of a reference to a schema is the schema, with its name. */
function withoutReferences(part: unknown, document: object): unknown {
  if (Array.isArray(part)) return part.map((one) => withoutReferences(one, document));
  if (typeof part !== "object" || part === null) return part;
  if ("$ref" in part && typeof part.$ref === "string") {
    const steps = part.$ref.replace(/^#\//, "").split("/");
    const found = steps.reduce((at: unknown, step) => Object(at)[step], document);
    if (!found) throw new Error(`the OpenAPI document has no ${part.$ref}`);
    return { ...Object(withoutReferences(found, document)), named: steps.at(-1) };
  }
  const entries = Object.entries(part);
  return Object.fromEntries(entries.map(([name, one]) => [name, withoutReferences(one, document)]));
}

/** The fields of an object schema. */
export function fieldsOf({ properties = {}, required = [] }: Schema) {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
  }));
}
