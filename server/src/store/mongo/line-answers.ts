import type { LineMark, LineMarks } from "./line-marks.js";
import type { LinePlace } from "./reports.js";

/** The limits of one process's cache: the number of results, and their estimated bytes. */
const bounds = { answers: 50_000, bytes: 64 * 1024 * 1024 };

/** What was read of a line, and the version of the line. */
export interface ReadOfLine<Answer> {
  readonly answer: Answer;
  readonly place: LinePlace;
  /** The mark of the line as it was read, before its entries; null if the result must not be cached. */
  readonly mark: LineMark | null;
  /** The estimated memory of the result, in bytes. */
  readonly bytes: number;
}

type Remembered = ReadOfLine<unknown> & { readonly mark: LineMark };

/**
 * A cache of results that were read from lines and their entries. A result is valid as long as its line has
 * the same mark, because every process counts a change of an entry in the line first. `LineMarks` reads the
 * current mark for each request.
 */
export class LineAnswers {
  readonly #marks: LineMarks;
  readonly #bounds: typeof bounds;
  /** By question, the least recently used first. */
  readonly #remembered = new Map<string, Remembered>();
  #bytes = 0;

  constructor(marks: LineMarks, most = bounds) {
    this.#marks = marks;
    this.#bounds = most;
  }

  /**
   * The result for a question. A question includes the business id, so that results are never shared between
   * businesses. `read` reads the result from the database.
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

  /** The number of remembered results and their estimated bytes. */
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
