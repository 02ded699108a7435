/** A change of an entry that its caller asked for, with the steps of the test in which it began and ended. */
interface Call {
  readonly began: number;
  /** Infinity without a response: then the call took effect at any time since it began, or never. */
  readonly ended: number;
}

/** The response to a creation. */
export interface Created {
  readonly id: string;
  readonly number: number;
  /** Null if the caller never received it. */
  readonly position: number | null;
  /** The whole response, which a replay repeats. Null if the caller never received it. */
  readonly text: string | null;
}

interface Creation extends Call {
  readonly key: string;
  /** Null if the creation was refused, or its response was lost. */
  readonly result: Created | null;
}

interface Place extends Call {
  readonly id: string;
  readonly position: number | null;
}

/** A call of the next person. */
interface Next extends Call {
  /** The id of their entry, or `nobody`. Undefined if the response was lost. */
  readonly id?: string | undefined;
}

/** An entry as it is stored in the end. */
export interface Listed {
  readonly id: string;
  readonly key: string;
  readonly number: number;
  readonly status: string;
}

/** Records concurrent calls on one queue and day, and checks their results against the entries in the end. */
export class History {
  readonly #creations: Creation[] = [];
  readonly #places: Place[] = [];
  /** The calls that took an entry out of the line, by its id. */
  readonly #removals = new Map<string, Call[]>();
  readonly #nexts: Next[] = [];
  #step = 0;

  /** Creates an entry. `send` returns null if the creation was refused. */
  async create<Result extends Created | null>(
    key: string,
    send: () => Promise<Result>,
  ): Promise<Result> {
    return this.#record(send, (call, result) =>
      this.#creations.push({ ...call, key, result: result ?? null }),
    );
  }

  /** Cancels an entry. `send` returns false if the cancellation was refused. */
  async cancel(id: string, send: () => Promise<boolean>): Promise<void> {
    await this.#record(send, (call, canceled) => canceled !== false && this.#remove(id, call));
  }

  /** Calls the next person. `send` returns the id of their entry, or `nobody`. */
  async next(send: () => Promise<string>): Promise<void> {
    await this.#record(send, (call, id) => {
      this.#nexts.push({ ...call, id });
      if (id !== undefined && id !== "nobody") this.#remove(id, call);
    });
  }

  /** Reads the position of an entry. */
  async place(id: string, send: () => Promise<number | null>): Promise<void> {
    await this.#record(send, (call, position) => {
      if (position !== undefined) this.#places.push({ ...call, id, position });
    });
  }

  /**
   * Why these results cannot be those of one queue whose calls each took effect at one instant. Empty if they can.
   * The entries were read after all calls had ended.
   */
  faults(listed: readonly Listed[]): string[] {
    const byId = new Map(listed.map((entry) => [entry.id, entry]));
    const found: string[] = [];
    const check = (isTrue: boolean, fault: string) => isTrue || found.push(fault);

    for (const field of ["id", "key", "number"] as const) {
      const values = listed.map((entry) => entry[field]);
      check(new Set(values).size === values.length, `two entries have one ${field}`);
    }
    const begun = new Set(this.#creations.map(({ key }) => key));
    for (const { key } of listed) check(begun.has(key), `nobody created ${key}`);

    const texts = new Map<string, string>();
    for (const { key, result, ended } of this.#creations) {
      if (!result) continue;
      const { id, number, position, text } = result;
      const entry = byId.get(id);
      check(entry?.key === key && entry.number === number, `${key} is not stored as ${number}`);
      check(text === (texts.get(key) ?? text), `${key} got two responses`);
      if (text !== null) texts.set(key, text);
      const call = { began: this.#firstCreation(key).began, ended };
      if (entry && position !== null)
        check(this.#canBe(position, entry, call, listed), `${key} was created at ${position}`);
    }

    for (const entry of listed) {
      const isWaiting = entry.status === "WAITING";
      const isGone = this.#hasLeft(entry, { began: Number.POSITIVE_INFINITY });
      check(!isWaiting || !isGone, `${entry.id} waits again`);
      check(isWaiting || this.#removalsOf(entry).length > 0, `nobody removed ${entry.id}`);
    }
    for (const { id, ...call } of this.#nexts) {
      if (id === undefined) continue;
      const number = byId.get(id)?.number ?? Number.POSITIVE_INFINITY;
      const overtaken = listed.find(
        (other) => other.number < number && this.#surelyWaits(other, call),
      );
      check(!overtaken, `${id} was called before ${overtaken?.id}`);
    }
    const called = this.#nexts.map(({ id }) => id).filter((id) => id && id !== "nobody");
    check(new Set(called).size === called.length, "one person was called twice");
    for (const { id, position, ...call } of this.#places) {
      const entry = byId.get(id);
      if (!entry) continue;
      const isPossible =
        position === null
          ? this.#canHaveLeft(entry, call)
          : !this.#hasLeft(entry, call) && this.#canBe(position, entry, call, listed);
      check(isPossible, `${id} was read at ${position}`);
    }
    return found;
  }

  /**
   * Whether an entry can have had this position during a call. A number is given only when all numbers before it
   * are stored, so exactly the people with a lower number who had not left are before it.
   */
  #canBe(position: number, { number }: Listed, call: Call, listed: readonly Listed[]): boolean {
    const before = listed.filter((other) => other.number < number);
    const mostGone = before.filter((other) => this.#canHaveLeft(other, call)).length;
    const gone = before.filter((other) => this.#hasLeft(other, call)).length;
    return position >= 1 + before.length - mostGone && position <= 1 + before.length - gone;
  }

  /** Whether an entry had left the line before a call began. */
  #hasLeft({ id }: Listed, { began }: Pick<Call, "began">): boolean {
    return (this.#removals.get(id) ?? []).some(({ ended }) => ended < began);
  }

  /** Whether an entry can have left the line before a call ended. */
  #canHaveLeft(entry: Listed, { ended }: Call): boolean {
    return entry.status !== "WAITING" && this.#removalsOf(entry).some(({ began }) => began < ended);
  }

  /** Whether an entry was in the line during a whole call. */
  #surelyWaits(entry: Listed, call: Call): boolean {
    const isThere = this.#creations.some(
      ({ key, result, ended }) => key === entry.key && result && ended < call.began,
    );
    return isThere && !this.#canHaveLeft(entry, call);
  }

  /** The calls that removed an entry, or that can have removed it. */
  #removalsOf({ id }: Listed): readonly Call[] {
    return [...(this.#removals.get(id) ?? []), ...this.#nexts.filter((next) => !next.id)];
  }

  #firstCreation(key: string): Call {
    const all = this.#creations.filter((creation) => creation.key === key);
    return all.reduce((first, one) => (one.began < first.began ? one : first));
  }

  #remove(id: string, call: Call): void {
    this.#removals.set(id, [...(this.#removals.get(id) ?? []), call]);
  }

  /** Makes a call. Keeps it with its result, or without one if it fails. */
  async #record<Result>(
    send: () => Promise<Result>,
    keep: (call: Call, result?: Result) => void,
  ): Promise<Result> {
    const began = ++this.#step;
    try {
      const result = await send();
      keep({ began, ended: ++this.#step }, result);
      return result;
    } catch (error) {
      keep({ began, ended: Number.POSITIVE_INFINITY });
      throw error;
    }
  }
}
