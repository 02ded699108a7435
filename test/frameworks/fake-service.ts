import { createServer } from "node:http";
import { fakes } from "@queue-api/testkit";
import { listen } from "../support/listen.js";

/** A customer whose name and phone number must not occur in any file. */
export const customer = { name: "Meera Unmistakable", phone: "919812345678" };

/** A service whose queue grows by one with each response, so that a cached response is visible. */
export class FakeService {
  url = "";
  readonly paths: string[] = [];
  #waiting = 0;

  static async start(): Promise<FakeService> {
    const service = new FakeService();
    const server = createServer(({ url = "" }, response) => {
      service.paths.push(url);
      response.setHeader("Content-Type", "application/json");
      // A framework that follows response headers would cache this response.
      response.setHeader("Cache-Control", "public, max-age=3600");
      response.end(JSON.stringify(service.#answer(url)));
    });
    service.url = await listen(server);
    return service;
  }

  #answer(url: string): unknown {
    const waiting = ++this.#waiting;
    if (url.includes("/entries")) return { data: [fakes.entry({ customer })], nextCursor: null };
    if (url === "/v1/queues") return { data: [fakes.queue({ name: "Front desk" })] };
    if (url === "/v1/services") return { data: [fakes.service({ name: "Consultation" })] };
    return { data: fakes.queueSummary({ counts: { waiting } }) };
  }
}
