import type { Response } from "express";

/** Server-sent events on a response that stays open. The response begins with the first event. */
export class EventStream {
  readonly #res: Response;

  constructor(res: Response) {
    this.#res = res;
  }

  /** Whether the browser has not read all that was sent. Sending more then fills the memory. */
  get isFull(): boolean {
    return this.#res.writableNeedDrain;
  }

  /** Sends an event, unless the stream has ended. The data is never empty: browsers drop empty events. */
  send(event: string, text = "1", id?: string): void {
    if (this.#res.writableEnded) return;
    this.#begin();
    const lines = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
    const name = id === undefined ? "" : `id: ${id}\n`;
    this.#res.write(`event: ${event}\n${name}${lines.join("")}\n`);
  }

  /** Also ends a response that has not begun. */
  end(): void {
    if (this.#res.writableEnded) return;
    this.#begin();
    this.#res.end();
  }

  /** The connection ends with the response, so that a stop does not wait for it. */
  #begin(): void {
    if (this.#res.headersSent) return;
    this.#res.status(200).set({
      "Content-Type": "text/event-stream; charset=utf-8",
      "X-Accel-Buffering": "no", // or nginx buffers events
      Connection: "close",
    });
    this.#res.flushHeaders();
  }
}
