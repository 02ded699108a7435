/** A command of an instance to its database that waits until the explorer releases it. */
export interface Held {
  /** Unique in its instance: `insert entries 2`. */
  readonly name: string;
  /** What it reads and writes: a collection, or the whole database. */
  readonly touches: string;
  readonly isWrite: boolean;
  /** Carries it out, and gives its result to the instance. */
  pass(): Promise<void>;
  /** Carries it out, and loses its result. */
  lose(): Promise<void>;
  /** Fails it for the instance. It can be carried out later. */
  fail(): void;
  /** Carries it out for nobody. */
  carryOut(): Promise<void>;
}

/** Holds the commands of one instance, while it is closed. */
export class Gate {
  readonly name: string;
  readonly #lostAnswer: () => Error;
  readonly #names = new Map<string, number>();
  #held: readonly Held[] = [];
  isClosed = false;

  constructor(name: string, lostAnswer: () => Error) {
    this.name = name;
    this.#lostAnswer = lostAnswer;
  }

  get held(): readonly Held[] {
    return this.#held;
  }

  /** Starts a new run. */
  close(): void {
    this.#held = [];
    this.#names.clear();
    this.isClosed = true;
  }

  /** Carries out all that is held, and holds nothing more. */
  async open(): Promise<void> {
    this.isClosed = false;
    await Promise.all(this.#held.map((held) => held.pass()));
  }

  /** Runs a command when the explorer releases it. */
  hold<Result>(
    { name: kind, touches, isWrite }: Pick<Held, "name" | "touches" | "isWrite">,
    command: () => PromiseLike<Result>,
  ): Promise<Result> {
    if (!this.isClosed) return Promise.resolve(command());
    const count = (this.#names.get(kind) ?? 0) + 1;
    this.#names.set(kind, count);
    return new Promise((resolve, reject) => {
      const carryOut = async () => {
        await Promise.resolve(command()).catch(() => {});
      };
      const held: Held = {
        ...{ name: `${this.name}: ${kind}${count === 1 ? "" : ` ${count}`}`, touches, isWrite },
        pass: async () => {
          this.#remove(held);
          await Promise.resolve(command()).then(resolve, reject);
        },
        lose: async () => {
          this.#remove(held);
          await carryOut();
          reject(this.#lostAnswer());
        },
        fail: () => {
          this.#remove(held);
          reject(this.#lostAnswer());
        },
        carryOut,
      };
      this.#held = [...this.#held, held];
    });
  }

  #remove(held: Held): void {
    this.#held = this.#held.filter((other) => other !== held);
  }
}

/** The number of turns of the event loop without activity after which everything counts as idle. */
const stillTurns = 4;

/** Resolves when `isStill` was true for some turns of the event loop. */
export async function rest(isStill: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (let turns = 0; turns < stillTurns; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isStill()) turns = -1;
    if (performance.now() > deadline) throw new Error("an instance does not come to rest");
  }
}
