import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { routes } from "@queue-api/contract";
import { expect, onTestFinished, test } from "vitest";
import { mainKey } from "../support/seed.js";
import { inExamples, startClinic } from "./example.js";

/** Starts the example with a clinic's key, and connects a client as a model's program does. */
async function connected(scopes = mainKey.scopes) {
  const key = { ...mainKey, scopes };
  const { clinic, env, tokens } = await startClinic({ keys: [key] });
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [inExamples("mcp-server/server.js")],
    env: { ...env },
    stderr: "inherit",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  /** Calls a tool. Returns the response of the API, or the text of the error. */
  const call = async (name: string, input: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: input });
    const [{ text = "" } = {}] = content as { text?: string }[];
    return isError ? text : JSON.parse(text);
  };
  return { client, clinic, call, tokens };
}

test("the server has a tool for each of the ten business endpoints, with the contract's names, texts and fields", async () => {
  const { client } = await connected();
  const { tools } = await client.listTools();
  expect(tools).toHaveLength(10);
  const withKey = Object.values(routes)
    .flatMap((noun) => Object.values(noun))
    .filter(({ metadata }) => metadata.access !== "public");
  expect(tools.map(({ name }) => name)).toEqual(
    withKey.map(({ metadata }) => metadata.operationId),
  );
  const create = tools.find(({ name }) => name === "createEntry");
  expect(create).toMatchObject({
    title: "Create a token",
    annotations: { readOnlyHint: false },
    inputSchema: { required: ["queueId", "name", "phone"] },
  });
  expect(Object.keys(create?.inputSchema.properties ?? {})).toEqual([
    ...["queueId", "name", "phone", "serviceId", "idempotency-key"],
  ]);
  expect(client.getInstructions()).toContain("Sunrise Clinic");
});

test("a model takes one token for a call that it repeats, follows it and cancels it", async () => {
  const { clinic, call, tokens } = await connected();
  const input = { queueId: clinic.queue(), name: "Customer 1", phone: "+91 98000 00001" };
  const key = { "idempotency-key": "order-0001" };
  const { data } = await call("createEntry", { ...input, ...key });
  expect(data).toMatchObject({ token: "A1", position: 1 });
  expect(await call("createEntry", { ...input, ...key })).toEqual({ data });
  expect(await tokens("front")).toEqual(["A1"]);
  const { data: page } = await call("listEntries", {
    queueId: clinic.queue(),
    status: "WAITING",
    limit: 1,
  });
  expect(page).toMatchObject([{ id: data.id }]);
  expect(await call("cancelEntry", { entryId: data.id })).toMatchObject({
    data: { status: "CANCELED" },
  });
  expect(await call("getMe", {})).toMatchObject({ data: { business: { name: "Sunrise Clinic" } } });
});

test("an error of the API reaches the model with its code, and a wrong input with its field", async () => {
  const { clinic, call, tokens } = await connected();
  expect(await call("getEntry", { entryId: "A".repeat(24) })).toContain("not_found");
  const input = { queueId: clinic.queue(), name: "", phone: "+91 98000 00001" };
  expect(await call("createEntry", input)).toContain("name");
  const misspelled = { ...input, name: "Customer 1", "Idempotency-Key": "order-0001" };
  expect(await call("createEntry", misspelled)).toContain("Idempotency-Key");
  expect(await tokens("front")).toEqual([]);
});

test("a key that may only read gives only tools that read", async () => {
  const { client } = await connected(["queue:read"]);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("listEntries");
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
  expect(tools.map(({ name }) => name)).not.toContain("listAppointments");
});
