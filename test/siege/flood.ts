import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { answerQuestions } from "../bench/worker.js";

/** Requests with a key, on keep-alive connections. */
export interface Flood {
  readonly origin: string;
  readonly key: string;
  readonly path: string;
  readonly from: string;
  readonly connections: number;
  /** How long each connection waits between two requests, in milliseconds. */
  readonly pauseMs: number;
}

/** The number of responses with each status. */
export type FloodReport = Readonly<Record<string, number>>;

export type FloodQuestion = { readonly start: readonly Flood[] } | "stop";

let answers: Record<string, number> = {};
let stopped = false;
let floods: Promise<void>[] = [];

/** Sends requests from a separate process until it is stopped, regardless of the responses. */
answerQuestions<FloodQuestion, FloodReport>(async (question) => {
  if (question === "stop") {
    stopped = true;
    await Promise.all(floods);
  } else {
    answers = {};
    floods = question.start.flatMap(flood);
  }
  return answers;
});

function flood({ origin, key, path, from, connections, pauseMs }: Flood): Promise<void>[] {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = { authorization: `Bearer ${key}` };
  const send = () =>
    new Promise<string>((resolve) => {
      request(`${origin}${path}`, { agent, headers, localAddress: from })
        .once("response", (answer) => {
          answer.resume().once("end", () => resolve(`${answer.statusCode}`));
        })
        .once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name))
        .end();
    });
  const sender = async () => {
    while (!stopped) {
      const status = await send();
      answers[status] = (answers[status] ?? 0) + 1;
      if (pauseMs > 0) await pause(pauseMs);
    }
  };
  const senders = Array.from({ length: connections }, sender);
  return [Promise.all(senders).then(() => agent.destroy())];
}
