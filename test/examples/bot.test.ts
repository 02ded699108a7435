import { createInterface } from "node:readline";
import { setBusiness } from "@queue-api/server";
import { expect, onTestFinished, test } from "vitest";
import { inExamples, startClinic, startProgram } from "./example.js";
import { startGateway } from "./gateway.js";

test("the bot takes one token for a message that comes twice, repeats what may pass, and replies to every message", async () => {
  const { url: service, store, clinic, tokens } = await startClinic({});
  const down = { status: 503, body: "down" };
  const gateway = await startGateway(service, "/queues", [down, down]);
  const env = {
    QUEUE_API_KEY: clinic.key(),
    PORT: "0",
    RETRY_SECONDS: "0.01",
    QUEUE_API_BASE_URL: gateway.url,
  };
  const bot = startProgram(process.execPath, [inExamples("bot/bot.js")], env);
  onTestFinished(async () => {
    bot.child.kill();
    await bot.ended;
  });
  const lines = createInterface({ input: bot.child.stdout })[Symbol.asyncIterator]();
  const line = async () => (await lines.next()).value;
  const [url = ""] = /http:\S+/.exec(await line()) ?? [];
  const send = async (message: object | null) => {
    const { status } = await fetch(url, { method: "POST", body: JSON.stringify(message) });
    expect(status).toBe(202);
  };

  const message = { id: "wamid.1", from: "+91 98000 00001", name: "Customer 1" };
  await setBusiness(store, clinic.slug, { apiAccess: false });
  await send({ ...message, id: "wamid.0" });
  expect(await line()).toBe("to +91 98000 00001: Something went wrong. Please ask at the desk.");
  await setBusiness(store, clinic.slug, { apiAccess: true });
  await send(message);
  const first = "to +91 98000 00001: Your token is A1. You are number 1 in line.";
  expect(await line()).toBe(first);
  expect(gateway.arrived()).toBeGreaterThan(2);
  await send(message);
  await send({ ...message, id: "wamid.2", from: "+91 98000 00002" });
  await Promise.all([send(null), send({ ...message, id: "wamid.3", name: "" })]);
  await send({ ...message, id: "wamid.4", from: "12" });
  expect([await line(), await line(), await line(), await line()]).toEqual([
    first,
    "to +91 98000 00002: Your token is A2. You are number 2 in line.",
    "to +91 98000 00001: Please send your name.",
    "to 12: This phone number cannot get a token.",
  ]);
  expect(await tokens("front")).toHaveLength(2);
});
