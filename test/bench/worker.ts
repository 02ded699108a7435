import { type ChildProcess, fork, type Serializable } from "node:child_process";
import { once } from "node:events";

/** A child process that answers each question with one message. It ends with its parent. */
export class Worker<Question extends Serializable, Answer> {
  readonly #process: ChildProcess;

  /** Starts the module that `url` names; it must call {@link answerQuestions}. */
  constructor(url: URL) {
    this.#process = fork(url);
    this.#process.once("exit", (code) => {
      if (code !== 0) throw new Error(`${url.pathname} ended with exit code ${code}`);
    });
  }

  /** Sends a question after the previous one was answered. */
  async ask(question: Question): Promise<Answer> {
    this.#process.send(question);
    const [answer] = await once(this.#process, "message");
    return answer;
  }

  async stop(): Promise<void> {
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
