import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { commandPath } from "../support/command.js";
import { environment, type Run } from "./command.js";

/** A server started by the command. */
export interface Serving {
  /** The standard output until the server was ready. */
  readonly printed: string;
  readonly url: string;
  signal(name: "SIGTERM" | "SIGINT"): void;
  /** Resolves with the result when the process has exited. */
  readonly ended: Promise<Run>;
}

const running = new Set<ChildProcess>();

/** Runs `queue-api serve` on a free port and waits until it reports that it is ready. */
export async function serve(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Serving> {
  const child = spawn(process.execPath, [commandPath, "serve", "--port", "0", ...args], {
    env: environment({ LOG_LEVEL: "error", ...env }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let stdout = "";
  const stderr = text(child.stderr);
  const ended = once(child, "close").then(async ([code]) => {
    running.delete(child);
    return { code, stdout, stderr: await stderr };
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
      resolve();
    });
    ended.then((run) => reject(new Error(`serve ended with ${run.code}: ${run.stderr}`)));
  });
  const url = /http:\/\/[^\s"]+/.exec(stdout)?.[0] ?? "";
  return { printed: stdout, url, signal: (name) => child.kill(name), ended };
}

/** Kills servers that a test did not end. */
export async function endServers(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const closed = once(child, "close");
      child.kill("SIGKILL");
      return closed;
    }),
  );
}

/** A creation before its body is sent: the server has read the headers and sent `100 Continue`. */
export interface HeldRequest {
  /** Sends the body and waits for the whole response. */
  finish(): Promise<string>;
  /** The response, or an empty string, after the server closed the connection. */
  readonly answer: Promise<string>;
}

export async function holdCreation(
  url: string,
  queueId: string,
  key: string,
): Promise<HeldRequest> {
  const body = JSON.stringify({ name: "Customer 1", phone: "919800000001" });
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {}); // a killed server resets the connection
  const head = [
    `POST /v1/queues/${queueId}/entries HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  const [first] = await once(socket.setEncoding("utf8"), "data");
  if (!String(first).startsWith("HTTP/1.1 100")) throw new Error(`no 100 Continue: ${first}`);
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk;
  });
  const answer = new Promise<string>((resolve) => {
    socket.on("close", () => resolve(received));
  });
  return {
    answer,
    finish() {
      socket.write(body);
      return answer;
    },
  };
}

/** Waits until an address has no listener. */
export async function untilRefused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const refused = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(false));
      socket.once("error", () => resolve(true));
    });
    socket.destroy();
    if (refused) return;
  }
}
