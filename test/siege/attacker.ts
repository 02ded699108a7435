import { connect, type OnReadOpts, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
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
  /** Sends `first` again after this many responses, and this pause in milliseconds. Reads everything. */
  readonly again?: { readonly afterAnswers: number; readonly pauseMs?: number };
}

/** The results of a group's connections. */
export interface GroupReport {
  readonly name: string;
  readonly opened: number;
  /** The number of connections that could not be opened. */
  readonly refused: number;
  readonly open: number;
  /** The number of responses with each status. */
  readonly answers: Readonly<Record<string, number>>;
  /** How long the connections that ended were open, in milliseconds, in the order of their ends. */
  readonly lifetimes: readonly number[];
  /** The first line that each connection received, with the number of connections. */
  readonly firstLines: Readonly<Record<string, number>>;
}

/** `report` comes after the last answers: what is sent again and again is not sent any more. */
export type AttackQuestion = { readonly start: Attack } | "report" | "stop";

let groups: readonly Group[] = [];

/** Attacks from a separate process. `start` resolves after each connection was tried. */
answerQuestions<AttackQuestion, readonly GroupReport[]>(async (question) => {
  if (question === "stop") for (const group of groups) group.stop();
  else if (question === "report") await Promise.all(groups.map((group) => group.rest()));
  else {
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
  readonly #answers: Record<string, number> = {};
  #rests = false;
  #stopped = false;
  /** The connections that wait for the answers to what they send again. */
  readonly #awaiting = new Set<Socket>();

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

  /** Sends nothing again, and waits for the answers to what was sent. */
  async rest(): Promise<void> {
    this.#rests = true;
    while (this.#awaiting.size > 0) await pause(10);
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
    const { first, next, again, reads = "everything" } = this.#group;
    const { hostname, port } = new URL(this.#attack.origin);
    const from = this.#attack.from[this.#opened++ % this.#attack.from.length] ?? "127.0.0.1";
    const timers: NodeJS.Timeout[] = [];
    let answersLeft = again?.afterAnswers ?? 0;
    let seen = false;
    let opened = 0;

    const read = (chunk: Buffer) => {
      const received = chunk.toString("latin1");
      if (!seen) {
        seen = true;
        const [line = ""] = received.split("\r\n", 1);
        this.#firstLines[line] = (this.#firstLines[line] ?? 0) + 1;
      }
      for (const [, status = ""] of received.matchAll(/HTTP\/1\.1 (\d+)/g)) {
        this.#answers[status] = (this.#answers[status] ?? 0) + 1;
        answersLeft--;
      }
      if (!again || answersLeft > 0) return;
      answersLeft = again.afterAnswers;
      this.#awaiting.delete(socket);
      setTimeout(send, again.pauseMs ?? 0);
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
    const send = () => {
      if (this.#rests || socket.destroyed) return;
      if (again) this.#awaiting.add(socket);
      socket.write(first);
    };
    if (reads === "nothing") socket.pause();
    else if (typeof reads === "object") {
      timers.push(setInterval(() => socket.resume(), reads.everyMs));
    } else socket.on("data", read);

    return new Promise((resolve) => {
      socket.once("connect", () => {
        opened = performance.now();
        this.#sockets.add(socket);
        send();
        if (next) timers.push(setInterval(() => socket.write(next.text), next.everyMs));
        resolve();
      });
      socket.on("error", () => undefined); // "close" reports it
      socket.once("close", () => {
        for (const timer of timers) clearInterval(timer);
        this.#sockets.delete(socket);
        this.#awaiting.delete(socket);
        if (opened === 0) this.#refused++;
        else if (!this.#stopped) this.#lifetimes.push(performance.now() - opened);
        if (this.#attack.reconnect && !this.#stopped) setTimeout(() => void this.#connect(), 100);
        resolve();
      });
    });
  }
}
