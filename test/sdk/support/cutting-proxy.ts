import { connect, createServer, type Server, type Socket } from "node:net";
import { listen } from "../../support/listen.js";

/** A proxy that cuts the next response after a number of bytes. */
export class CuttingProxy {
  url = "";
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The number of bytes after which the next response is cut. */
  #cutAfter: number | null = null;
  #refuse = false;

  private constructor(target: URL) {
    this.#server = createServer((client) => this.#join(client, target));
  }

  static async start(url: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(url));
    proxy.url = await listen(proxy.#server);
    return proxy;
  }

  /** Resets the connection after this many bytes of the next response, which its first packet has. */
  cutNext(after: number): void {
    this.#cutAfter = after;
  }

  /** Resets the connection of the next request before it reaches the service. */
  refuseNext(): void {
    this.#refuse = true;
  }

  /** Cuts all open connections. */
  cutNow(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, { hostname, port }: URL): void {
    const service = connect(Number(port), hostname);
    this.#sockets.add(client);
    client.setNoDelay(true);
    client.on("data", (chunk) => {
      if (!this.#refuse) return service.write(chunk);
      this.#refuse = false;
      client.resetAndDestroy();
    });
    service.on("data", (chunk) => {
      const after = this.#cutAfter;
      if (after === null) return client.write(chunk);
      this.#cutAfter = null;
      client.write(chunk.subarray(0, after), () => client.resetAndDestroy());
      service.removeAllListeners("data").resume();
    });
    for (const socket of [client, service]) socket.on("error", () => {}); // the other end is closed below
    client.on("close", () => {
      this.#sockets.delete(client);
      service.end();
    });
    service.on("close", () => client.end());
  }
}
