import { createServer } from "node:http";
import { fakes } from "@queue-api/testkit";
import { listen } from "../support/listen.js";

/** A customer whose name and phone number must not occur in any file. */
export const customer = { name: "Meera Unmistakable", phone: "919812345678" };

/** A service whose queue grows by one with each response, so that a cached response is visible. */
export async function fakeService() {
  const paths: string[] = [];
  const resources = (path: string) => {
    if (path.includes("/entries")) return { data: [fakes.entry({ customer })], nextCursor: null };
    if (path === "/v1/queues") return { data: [fakes.queue({ name: "Front desk" })] };
    if (path === "/v1/services") return { data: [fakes.service({ name: "Consultation" })] };
    return { data: fakes.queueSummary({ counts: { waiting: paths.length } }) };
  };
  const server = createServer(({ url = "" }, response) => {
    paths.push(url);
    response.setHeader("Content-Type", "application/json");
    // A framework that follows response headers would cache this response.
    response.setHeader("Cache-Control", "public, max-age=3600");
    response.end(JSON.stringify(resources(url)));
  });
  return { url: await listen(server), paths };
}
