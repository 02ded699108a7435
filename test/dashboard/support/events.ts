import { request } from "node:http";
import type { Visitor } from "./visitor.js";

/** An event as a browser receives it. */
interface ServerEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: string;
}

/** The live board of a visitor. */
export interface Following {
  /** Status of the response. */
  readonly status: number;
  /** The next event of a kind. Skips all others. Rejects when the stream ends first. */
  next(event: string): Promise<ServerEvent>;
  /** Every event so far. */
  readonly events: readonly ServerEvent[];
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  leave(): void;
}

/** Opens the event stream of the visitor's current board page. */
export async function follow(
  visitor: Visitor,
  page: string,
  onTestFinished: (end: () => void) => void,
): Promise<Following> {
  const path = /data-events="([^"]+)"/.exec(page)?.[1]?.replaceAll("&amp;", "&");
  if (path === undefined) throw new Error("this page follows nothing");
  const cookies = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = {
    Cookie: cookies,
    Accept: "text/event-stream",
    "X-Forwarded-For": visitor.address,
  };
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, visitor.url), { headers }, (res) => {
      const events: ServerEvent[] = [];
      let passed = 0;
      let isOver = false;
      let wake = () => {};
      let rest = "";
      res.setEncoding("utf8").on("data", (text: string) => {
        const blocks = (rest + text).split("\n\n");
        rest = blocks.pop() ?? "";
        events.push(...blocks.map(read));
        wake();
      });
      const ended = new Promise<void>((over) => {
        res.on("close", () => {
          isOver = true;
          wake();
          over();
        });
      });
      const next = async (event: string): Promise<ServerEvent> => {
        for (;;) {
          const found = events.slice(passed).findIndex((one) => one.event === event);
          if (found >= 0) {
            passed += found + 1;
            return events[passed - 1] as ServerEvent;
          }
          if (isOver) throw new Error(`the stream ended without the event ${event}`);
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      };
      const leave = () => sent.destroy();
      onTestFinished(leave);
      resolve({ status: res.statusCode ?? 0, next, events, ended, leave });
    });
    sent.on("error", reject);
    sent.end();
  });
}

function read(block: string): ServerEvent {
  const lines = block.split("\n");
  const all = (field: string) =>
    lines
      .filter((line) => line.startsWith(`${field}: `))
      .map((line) => line.slice(field.length + 2));
  return { event: all("event")[0] ?? "", id: all("id")[0] ?? null, data: all("data").join("\n") };
}
