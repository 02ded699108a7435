import { expect, test } from "vitest";
import { Project } from "../support/project.js";
import { fakeService } from "./fake-service.js";

const service = await fakeService();
const packages = [
  ...["fastify@5.12.8", "koa@2.16.4", "winston@3.19.0"],
  ...["@opentelemetry/instrumentation-undici@0.33.0", "@opentelemetry/api@1.9.0"],
  ...["@opentelemetry/instrumentation-http@0.223.0", "@opentelemetry/sdk-trace-node@2.12.0"],
  "@opentelemetry/instrumentation@0.223.0",
];
const copyOf = new URL("projects/node", import.meta.url);
const project = await Project.make({ copyOf, packages });

test.each([
  ["logged.js", "a winston logger"],
  ["served.js", "Fastify and Koa, which respond with the status of an error"],
  ["traced.js", "OpenTelemetry, which records one span of a request"],
])("%s: the SDK uses %s", async (program) => {
  const env = { FAKE_SERVICE: service.url };
  expect((await project.run(process.execPath, [program], env)).trim()).toBe("works");
});
