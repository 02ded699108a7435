import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { QueueApi } from "@queue-api/sdk";
import { pino } from "pino";
import winston from "winston";

const options = { apiKey: "svc_live_x_y", baseUrl: process.env.FAKE_SERVICE };

async function linesOf(loggerTo) {
  const stream = new PassThrough();
  await new QueueApi({ ...options, logger: loggerTo(stream), logLevel: "info" }).queues.list();
  stream.end();
  return (await text(stream))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

for (const loggerTo of [
  (stream) => pino(stream),
  (stream) => winston.createLogger({ transports: [new winston.transports.Stream({ stream })] }),
]) {
  const [line, ...others] = await linesOf(loggerTo);
  const message = line.msg ?? line.message;
  assert.match(message, /^queue-api: queues.list: 200 in \d+ ms$/);
  assert.equal(line.operation, "queues.list");
  assert.equal(line.status, 200);
  assert.deepEqual(others, []);
}
console.log("works");
