import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fakes } from "@queue-api/testkit";

/** A customer whose name and phone number must not occur in any file. */
export const customer = { name: "Meera Unmistakable", phone: "919812345678" };

/** A service whose queue grows by one with each response, so that a cached response is visible. */
export class FakeService {
  readonly url: string;
  /** Paths of the requests so far. */
  readonly paths: string[] = [];
  #waiting = 0;

  private constructor(server: Server) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      const { url = "" } = request;
      this.paths.push(url);
      response.setHeader("Content-Type", "application/json");
      // A framework that follows response headers would cache this response.
      response.setHeader("Cache-Control", "public, max-age=3600");
      response.end(JSON.stringify(this.#answer(url)));
    });
  }

  static async start(): Promise<FakeService> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FakeService(server);
  }

  #answer(url: string): unknown {
    const waiting = ++this.#waiting;
    if (url.includes("/entries")) return { data: [fakes.entry({ customer })], nextCursor: null };
    if (url === "/v1/queues") return { data: [fakes.queue({ name: "Front desk" })] };
    if (url === "/v1/services") return { data: [fakes.service({ name: "Consultation" })] };
    return { data: fakes.queueSummary({ counts: { waiting } }) };
  }
}
