import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { Duplex } from "node:stream";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Connections } from "../../server/src/http/connections.js";

const answer = Buffer.alloc(8 * 2 ** 20);

/** A server that answers each request with 8 MB, on in-memory connections. */
function serverOfLongAnswers(started = () => {}) {
  const server = createServer();
  const bounds = { inAll: 100, perAddress: 100, isTrustedProxy: () => false };
  const handle: RequestListener = (_req, res) => {
    started();
    res.end(answer);
  };
  new Connections(bounds, handle).attach(server);
  return server;
}

/** A connection whose client sends one request, and reads the response only when the test resumes it. */
class Client extends Duplex {
  bytesWritten = 0;
  #isReading = false;
  #readLater: (() => void) | null = null;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, wasRead: () => void): void {
    this.bytesWritten += chunk.length;
    if (this.#isReading) wasRead();
    else this.#readLater = wasRead;
  }

  send(): void {
    this.push("GET / HTTP/1.1\r\nHost: queue.example\r\n\r\n");
  }

  readAll(): void {
    this.#isReading = true;
    this.#readLater?.();
  }
}

describe("complete responses that the client does not read", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function clientsWithAnswers(count: number): Promise<Client[]> {
    const server = serverOfLongAnswers();
    const clients: Client[] = [];
    for (let n = 0; n < count; n++) {
      const client = new Client();
      server.emit("connection", client);
      client.send();
      await expect.poll(() => client.writableLength).toBeGreaterThan(answer.length);
      clients.push(client);
    }
    return clients;
  }

  test("end the connection after a minute", async () => {
    const [unread, read] = await clientsWithAnswers(2);
    await vi.advanceTimersByTimeAsync(59_000);
    read?.readAll();
    expect(unread?.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([unread?.destroyed, read?.destroyed]).toEqual([true, false]);
  });

  test("end the connection of pipelined requests, which start no more, five seconds after the service has ended its side", async () => {
    const client = new Client();
    const started = vi.fn();
    serverOfLongAnswers(started).emit("connection", client);
    client.readAll();
    client.send();
    client.send();
    await once(client, "finish");
    client.send();
    await vi.advanceTimersByTimeAsync(4_999);
    expect(client.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(client.destroyed).toBe(true);
    expect(started).toHaveBeenCalledTimes(1);
  });

  test("of more than 64 MB in total end the connections that have not read for longest", async () => {
    const clients = await clientsWithAnswers(9);
    const ended = clients.map(({ destroyed }) => destroyed);
    expect(ended).toEqual([true, true, ...Array(7).fill(false)]);
  });
});
