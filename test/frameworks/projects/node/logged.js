import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { QueueApi } from "@queue-api/sdk";
import winston from "winston";

const stream = new PassThrough();
const logger = winston.createLogger({ transports: [new winston.transports.Stream({ stream })] });
const options = { apiKey: "svc_live_x_y", baseUrl: process.env.FAKE_SERVICE };
await new QueueApi({ ...options, logger, logLevel: "info" }).queues.list();
stream.end();
const { message, operation, status } = JSON.parse(await text(stream)); // one line
assert.match(message, /^queue-api: queues.list: 200 in \d+ ms$/);
assert.deepEqual({ operation, status }, { operation: "queues.list", status: 200 });
console.log("works");
