import { connect, type OnReadOpts, type Socket } from "node:net";
import { answerQuestions } from "../bench/worker.js";

/** The requests of an attacker, and the number of its connections. */
export interface Attack {
  readonly origin: string;
  /** The addresses of the attacker. The connections are distributed over them. */
  readonly from: readonly string[];
  readonly groups: readonly ConnectionGroup[];
  /** Whether a connection that the service ends is reopened after 100 ms. */
  readonly reconnect: boolean;
}

/** A group of connections that behave the same. */
export interface ConnectionGroup {
  readonly name: string;
  readonly connections: number;
  /** What each connection sends when it opens. */
  readonly first: string;
  /** What it sends repeatedly after that. */
  readonly next?: { readonly text: string; readonly everyMs: number };
  /**
   * How much it reads: everything, nothing, or `bytes` every `everyMs`. Default: everything.
   */
  readonly reads?: "everything" | "nothing" | { readonly bytes: number; readonly everyMs: number };
  /** Sends `first` again after this many responses. Reads everything. */
  readonly againAfterAnswers?: number;
}

/** The results of a group's connections. */
export interface GroupReport {
  readonly name: string;
  readonly opened: number;
  /** The number of connections that could not be opened. */
  readonly refused: number;
  readonly open: number;
  readonly answers: number;
  /** How long the connections that ended were open, in milliseconds, in the order of their ends. */
  readonly lifetimes: readonly number[];
  /** The first line that each connection received, with the number of connections. */
  readonly firstLines: Readonly<Record<string, number>>;
}

export type AttackQuestion = { readonly start: Attack } | "report" | "stop";

let groups: readonly Group[] = [];

/** Attacks from a separate process. `start` resolves after each connection was tried. */
answerQuestions<AttackQuestion, readonly GroupReport[]>(async (question) => {
  if (question === "stop") for (const group of groups) group.stop();
  else if (question !== "report") {
    const { start } = question;
    groups = start.groups.map((group) => new Group(start, group));
    await Promise.all(groups.map((group) => group.open()));
  }
  return groups.map((group) => group.report());
});

const opensAtOnce = 200;

class Group {
  readonly #attack: Attack;
  readonly #group: ConnectionGroup;
  readonly #sockets = new Set<Socket>();
  readonly #lifetimes: number[] = [];
  readonly #firstLines: Record<string, number> = {};
  #opened = 0;
  #refused = 0;
  #answers = 0;
  #stopped = false;

  constructor(attack: Attack, group: ConnectionGroup) {
    this.#attack = attack;
    this.#group = group;
  }

  async open(): Promise<void> {
    let left = this.#group.connections;
    const openSome = async () => {
      while (left-- > 0) await this.#connect();
    };
    await Promise.all(Array.from({ length: opensAtOnce }, openSome));
  }

  stop(): void {
    this.#stopped = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  report(): GroupReport {
    return {
      name: this.#group.name,
      opened: this.#opened,
      refused: this.#refused,
      open: this.#sockets.size,
      answers: this.#answers,
      lifetimes: this.#lifetimes,
      firstLines: this.#firstLines,
    };
  }

  /** Opens one connection; resolves when it is open, or was refused. */
  #connect(): Promise<void> {
    const { first, next, reads = "everything" } = this.#group;
    const { hostname, port } = new URL(this.#attack.origin);
    const from = this.#attack.from[this.#opened++ % this.#attack.from.length] ?? "127.0.0.1";
    const timers: NodeJS.Timeout[] = [];
    let answersLeft = this.#group.againAfterAnswers ?? 0;
    let seen = false;
    let opened = 0;

    const read = (chunk: Buffer) => {
      const received = chunk.toString("latin1");
      if (!seen) {
        seen = true;
        const [line = ""] = received.split("\r\n", 1);
        this.#firstLines[line] = (this.#firstLines[line] ?? 0) + 1;
      }
      const answers = received.split("HTTP/1.1 ").length - 1;
      this.#answers += answers;
      if (this.#group.againAfterAnswers === undefined) return;
      answersLeft -= answers;
      if (answersLeft > 0) return;
      answersLeft = this.#group.againAfterAnswers;
      socket.write(first);
    };
    let onread: OnReadOpts | undefined;
    if (typeof reads === "object") {
      const buffer = Buffer.alloc(reads.bytes);
      onread = {
        buffer,
        callback: (size) => {
          read(buffer.subarray(0, size));
          return false; // stops reading until the timer resumes it
        },
      };
    }
    const socket: Socket = connect({
      host: hostname,
      port: Number(port),
      localAddress: from,
      ...(onread && { onread }),
    });
    if (reads === "nothing") socket.pause();
    else if (typeof reads === "object") {
      timers.push(setInterval(() => socket.resume(), reads.everyMs));
    } else socket.on("data", read);

    return new Promise((resolve) => {
      socket.once("connect", () => {
        opened = performance.now();
        this.#sockets.add(socket);
        socket.write(first);
        if (next) timers.push(setInterval(() => socket.write(next.text), next.everyMs));
        resolve();
      });
      socket.on("error", () => undefined); // "close" reports it
      socket.once("close", () => {
        for (const timer of timers) clearInterval(timer);
        this.#sockets.delete(socket);
        if (opened === 0) this.#refused++;
        else if (!this.#stopped) this.#lifetimes.push(performance.now() - opened);
        if (this.#attack.reconnect && !this.#stopped) setTimeout(() => void this.#connect(), 100);
        resolve();
      });
    });
  }
}
