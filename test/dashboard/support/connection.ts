import { EventEmitter } from "node:events";
import type { Response } from "express";

/** A browser's connection, as a stream sees it. It reads everything until it is stalled. */
export class Connection extends EventEmitter {
  /** The names of the sent events. */
  readonly events: string[] = [];
  /** The sent events. */
  readonly sent: string[] = [];
  /** The request, with what the browser shows. */
  readonly req: { query: Readonly<Record<string, string>> } = { query: {} };
  headersSent = false;
  writableEnded = false;
  writableNeedDrain = false;
  closed = false;
  #isStalled = false;

  /** The connection as an Express response. */
  get response(): Response {
    return this as unknown as Response;
  }

  status = () => this;
  set = () => this;

  flushHeaders(): void {
    this.headersSent = true;
  }

  write(text: string): void {
    this.sent.push(text);
    this.events.push(/^event: (.*)$/m.exec(text)?.[1] ?? "");
    this.writableNeedDrain = this.#isStalled;
  }

  end(): void {
    this.writableEnded = true;
    this.#close();
  }

  destroy(): void {
    this.#close();
  }

  /** Accepts at most one more event from now on, like a phone without reception. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Reads the buffered events, and everything after them. */
  drain(): void {
    this.#isStalled = false;
    this.writableNeedDrain = false;
    this.emit("drain");
  }

  #close(): void {
    if (this.closed) return;
    this.closed = true;
    this.emit("close");
  }
}
