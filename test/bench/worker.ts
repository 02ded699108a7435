import { type ChildProcess, fork, type Serializable } from "node:child_process";
import { once } from "node:events";

/** A child process that answers each question with one message. It ends with its parent. */
export class Worker<Question extends Serializable, Answer> {
  readonly #process: ChildProcess;
  readonly #name: string;

  /** Starts the module that `url` names; it must call {@link answerQuestions}. */
  constructor(url: URL) {
    this.#name = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
    this.#process = fork(url);
  }

  /** Sends a question after the previous one was answered. Rejects if the process ends first. */
  async ask(question: Question): Promise<Answer> {
    const ended = new AbortController();
    const { signal } = ended;
    try {
      this.#process.send(question);
      return await Promise.race([
        once(this.#process, "message", { signal }).then(([answer]) => answer as Answer),
        once(this.#process, "exit", { signal }).then(([code]) => {
          throw new Error(`${this.#name} ended with exit code ${code}`);
        }),
      ]);
    } finally {
      ended.abort();
    }
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, "exit");
    this.#process.disconnect();
    await exited;
  }
}

/** Answers the questions of the parent process, one at a time. A failure ends the process. */
export function answerQuestions<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
): void {
  process.on("message", async (question: Question) => process.send?.(await answer(question)));
  process.on("disconnect", () => process.exit());
}
