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

/** Opens the connections of a group. Resolves after each was tried, with a function that ends them. */
export async function attack({ hostname, port }: URL, group: Group): Promise<() => void> {
  const { connections, addresses, first, next, reads, reconnect } = group;
  const open = new Set<Socket>();
  let started = 0;
  let isStopped = false;

  async function openOne(): Promise<void> {
    const localAddress = `127.0.1.${(started++ % addresses) + 1}`;
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    const timers: NodeJS.Timeout[] = [];
    open.add(socket);
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
      open.delete(socket);
      await pause(100);
      if (reconnect && !isStopped) await openOne();
    });
    await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => {});
  }

  const openSome = async () => {
    while (started < connections) await openOne();
  };
  await Promise.all(Array.from({ length: opensAtOnce }, openSome));
  return () => {
    isStopped = true;
    for (const socket of open) socket.destroy();
  };
}
