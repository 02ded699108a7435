import { connect, createServer, type Server, type Socket } from "node:net";

/** A proxy that cuts the next response after a number of bytes. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** The number of bytes after which the next response is cut. */
  #cutAfter: number | null = null;
  #refuse = false;
  /** Bytes of the responses since the last count. */
  #passed = 0;

  private constructor(target: URL) {
    this.#server = createServer((client) => this.#join(client, target));
  }

  static async start(url: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(url));
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("not listening");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Whether a cut is pending. */
  get armed(): boolean {
    return this.#cutAfter !== null;
  }

  /** Resets the connection after this many bytes of the next response. */
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

  /** Bytes of responses since the last call. */
  takeCount(): number {
    const passed = this.#passed;
    this.#passed = 0;
    return passed;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, { hostname, port }: URL): void {
    const service = connect(Number(port), hostname);
    this.#sockets.add(client);
    client.setNoDelay(true);
    let passed = 0;
    client.on("data", (chunk) => {
      if (!this.#refuse) return service.write(chunk);
      this.#refuse = false;
      client.resetAndDestroy();
    });
    service.on("data", (chunk) => {
      const after = this.#cutAfter;
      if (after !== null && passed + chunk.length > after) {
        this.#cutAfter = null;
        const part = chunk.subarray(0, Math.max(0, after - passed));
        client.write(part, () => client.resetAndDestroy());
        service.removeAllListeners("data").resume();
      } else {
        this.#passed += chunk.length;
        passed = after === null ? 0 : passed + chunk.length;
        client.write(chunk);
      }
    });
    for (const socket of [client, service]) socket.on("error", () => {}); // the other end is closed below
    client.on("close", () => {
      this.#sockets.delete(client);
      service.end();
    });
    service.on("close", () => client.end());
  }
}
