import type { Response } from "express";

/** Server-sent events on an answer that is held open. It begins with the first of them. */
export class EventStream {
  readonly #res: Response;

  constructor(res: Response) {
    this.#res = res;
  }

  /** Whether the browser has yet to take what was sent. Whoever sends then, fills the memory. */
  get isFull(): boolean {
    return this.#res.writableNeedDrain;
  }

  /** Sends an event, unless the stream has ended. What it says is never empty, since browsers would drop it. */
  send(event: string, text = "1", id?: string): void {
    if (this.#res.writableEnded) return;
    this.#begin();
    const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
    const name = id === undefined ? "" : `id: ${id}\n`;
    this.#res.write(`event: ${event}\n${name}${lines.join("")}\n`);
  }

  /** Also ends an answer that has not begun. */
  end(): void {
    if (this.#res.writableEnded) return;
    this.#begin();
    this.#res.end();
  }

  /** The connection ends with the answer, so that nobody has to wait for it at a stop. */
  #begin(): void {
    if (this.#res.headersSent) return;
    this.#res.status(200).set({
      "Content-Type": "text/event-stream; charset=utf-8",
      "X-Accel-Buffering": "no", // or nginx keeps events back to send many together
      Connection: "close",
    });
    this.#res.flushHeaders();
  }
}
