import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Connections that behave the same, as no HTTP client would. */
export interface Group {
  readonly connections: number;
  /** The connections are distributed over this many addresses. */
  readonly addresses: number;
  readonly first: string;
  readonly next?: { readonly text: string; readonly everyMs: number };
  readonly reads: "everything" | "nothing" | { readonly bytes: number; readonly everyMs: number };
  readonly reconnect: boolean;
}

const opensAtOnce = 200;

export class Attacker {
  readonly #open = new Set<Socket>();
  #started = 0;
  #stopped = false;

  constructor(
    private readonly origin: URL,
    private readonly group: Group,
  ) {}

  /** Resolves after each connection was tried. */
  async start(): Promise<void> {
    const openSome = async () => {
      while (this.#started < this.group.connections) await this.#connect();
    };
    await Promise.all(Array.from({ length: opensAtOnce }, openSome));
  }

  stop(): void {
    this.#stopped = true;
    for (const socket of this.#open) socket.destroy();
  }

  async #connect(): Promise<void> {
    const { addresses, first, next, reads, reconnect } = this.group;
    const socket = connect({
      host: this.origin.hostname,
      port: Number(this.origin.port),
      localAddress: `127.0.1.${(this.#started++ % addresses) + 1}`,
    });
    const timers: NodeJS.Timeout[] = [];
    this.#open.add(socket);
    socket.once("connect", () => {
      socket.write(first);
      if (next) timers.push(setInterval(() => socket.write(next.text), next.everyMs));
      if (typeof reads === "string") return;
      timers.push(setInterval(() => socket.read(reads.bytes), reads.everyMs));
    });
    if (reads === "everything") socket.resume();
    else socket.pause();
    socket.on("error", () => {}); // "close" reports it
    socket.once("close", async () => {
      for (const timer of timers) clearInterval(timer);
      this.#open.delete(socket);
      await pause(100);
      if (reconnect && !this.#stopped) await this.#connect();
    });
    await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => {});
  }
}
