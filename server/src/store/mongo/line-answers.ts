import type { LineMark, LineMarks } from "./line-marks.js";
import type { LinePlace } from "./reports.js";

/** How much one process remembers: answers, and an estimate of the bytes that they take. */
const bounds = { answers: 50_000, bytes: 64 * 1024 * 1024 };

/** What was read of a line, and by which version of it. */
export interface ReadOfLine<Answer> {
  readonly answer: Answer;
  readonly place: LinePlace;
  /** The mark of the line as it was read, before its entries; null when this must not be remembered. */
  readonly mark: LineMark | null;
  /** An estimate of the memory that the answer takes. */
  readonly bytes: number;
}

type Remembered = ReadOfLine<unknown> & { readonly mark: LineMark };

/**
 * What was read of lines and their entries, remembered for as long as each line has the version that it had.
 * Every change of an entry is first counted in its line, by whichever process, so an answer whose line has its
 * mark still is as good as a new one. The line is asked for it each time, by `LineMarks`.
 */
export class LineAnswers {
  readonly #marks: LineMarks;
  readonly #bounds: typeof bounds;
  /** By question, the one asked longest ago first. */
  readonly #remembered = new Map<string, Remembered>();
  #bytes = 0;

  constructor(marks: LineMarks, most = bounds) {
    this.#marks = marks;
    this.#bounds = most;
  }

  /**
   * The answer to a question. A question names the business: no other one is answered by what is remembered
   * of it. `read` answers it from the database.
   */
  async answer<Answer>(
    question: readonly unknown[],
    read: () => Promise<ReadOfLine<Answer> | null>,
  ): Promise<Answer | null> {
    const name = JSON.stringify(question);
    const known = this.#remembered.get(name);
    if (known && (await this.#marks.current(known.place)) === known.mark) {
      this.#remember(name, known);
      return known.answer as Answer;
    }
    const found = await read();
    if (found?.mark) this.#remember(name, { ...found, mark: found.mark });
    else if (this.#remembered.get(name) === known) this.#forget(name);
    return found?.answer ?? null;
  }

  /** How many answers are remembered, and the bytes that they are estimated to take. */
  get size(): { readonly answers: number; readonly bytes: number } {
    return { answers: this.#remembered.size, bytes: this.#bytes };
  }

  #remember(name: string, read: Remembered): void {
    this.#forget(name);
    this.#remembered.set(name, read);
    this.#bytes += read.bytes;
    for (const oldest of this.#remembered.keys()) {
      const { answers, bytes } = this.#bounds;
      if (this.#remembered.size <= answers && this.#bytes <= bytes) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    const known = this.#remembered.get(name);
    if (!known) return;
    this.#remembered.delete(name);
    this.#bytes -= known.bytes;
  }
}
