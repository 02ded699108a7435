import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { importTool } from "#tools";
import { document } from "../contract/document.js";

const { astToString, openapiTypeScript, ts } = await importTool("openapi", "tools.js");

const folder = await mkdtemp(join(tmpdir(), "queue-api-types-"));
afterAll(() => rm(folder, { recursive: true }));

const types: string = astToString(await openapiTypeScript(JSON.stringify(document)));
await writeFile(join(folder, "queue-api.ts"), types);

/** The compiler errors of a program that imports the generated types from `./queue-api.js`. */
async function compilerErrors(program: string): Promise<string[]> {
  const file = join(folder, "client.ts");
  await writeFile(file, program);
  const compiled = ts.createProgram([file], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true, // the generated types are still checked, because they are not a library
  });
  const diagnostics: { messageText: unknown }[] = ts.getPreEmitDiagnostics(compiled);
  return diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

const client = `
import type { components, operations, paths } from "./queue-api.js";

type Create = operations["createEntry"];
type Body = Create["requestBody"]["content"]["application/json"];
type Created = Create["responses"][201]["content"]["application/json"];
type Conflict = Create["responses"][409]["content"]["application/json"];
type Listing = paths["/v1/queues/{queueId}/entries"]["get"];
type Page = Listing["responses"][200]["content"]["application/json"];
type Query = NonNullable<Listing["parameters"]["query"]>;

const body: Body = { name: "Customer 1", phone: "+91 98000 00001" };
const query: Query = { status: "WAITING", date: "2026-11-21", limit: 100 };
const key: NonNullable<Create["parameters"]["header"]> = { "Idempotency-Key": "kiosk-7-0042" };

export async function create(baseUrl: string, apiKey: string, queueId: string): Promise<string> {
  const response = await fetch(\`\${baseUrl}/v1/queues/\${queueId}/entries\`, {
    method: "POST",
    headers: { authorization: \`Bearer \${apiKey}\`, "content-type": "application/json", ...key },
    body: JSON.stringify(body),
  });
  if (response.status === 409) return reason((await response.json()) as Conflict);
  const { data } = (await response.json()) as Created;
  return \`\${data.token}, \${data.position ?? "not waiting"}, \${data.customer.phone?.length ?? 0}\`;
}

function reason({ error }: Conflict): string {
  switch (error.code) {
    case "queue_paused":
    case "queue_unavailable":
    case "request_in_progress":
      return error.message;
    default: // an unknown code
      return \`refused: \${error.code}\`;
  }
}

export function waiting(page: Page): number {
  const entries: components["schemas"]["Entry"][] = page.data;
  const next: string | null = page.nextCursor;
  return entries.filter(({ status }) => status === query.status).length + (next === null ? 0 : 1);
}
`;

test("types are generated from the document, and a client on them compiles", async () => {
  expect(await compilerErrors(client)).toEqual([]);
});

test("code that the document does not allow does not compile", async () => {
  const wrong = [
    '({ name: "Customer 1", phone: "919800000001", priority: true }) satisfies Body;',
    '({ name: "Customer 1" }) satisfies Body;',
    '({ status: "CANCELLED" }) satisfies Query;',
    '({ limit: "50" }) satisfies Query;',
    '409 satisfies Conflict["error"]["code"];',
  ];
  expect(await compilerErrors([client, ...wrong].join("\n"))).toHaveLength(wrong.length);
});

test("each operation has its own types", () => {
  const { paths } = document as { paths: Record<string, Record<string, { operationId: string }>> };
  for (const { operationId } of Object.values(paths).flatMap(Object.values)) {
    expect(types).toContain(`${operationId}: {`);
  }
});
