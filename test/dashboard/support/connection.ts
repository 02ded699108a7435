import { EventEmitter } from "node:events";
import type { Response } from "express";

/** A browser's connection, as a stream sees it. It takes all that it is sent, until it is stalled. */
export class Connection extends EventEmitter {
  /** The events that were sent, by name. */
  readonly events: string[] = [];
  /** What was sent, event by event. */
  readonly sent: string[] = [];
  headersSent = false;
  writableEnded = false;
  writableNeedDrain = false;
  closed = false;
  #isStalled = false;

  /** As express knows it. */
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

  /** From now on it takes one more event at most, as a phone without reception. */
  stall(): void {
    this.#isStalled = true;
  }

  /** It takes what is left over, and then all again. */
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
