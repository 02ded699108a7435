/** What a caller asked of one queue, and what it was told; each of one business day. */
export type Call =
  | {
      readonly does: "create";
      /** Of the same creation when it is sent again. */
      readonly key: string;
      readonly told: Created | "refused" | null;
    }
  | { readonly does: "cancel"; readonly id: string; readonly told: "canceled" | "refused" | null }
  /** The owner calls whoever is next: an entry's id, or `nobody`. */
  | { readonly does: "next"; readonly told: string | null }
  /** Where an entry stands; null unless it waits. */
  | {
      readonly does: "place";
      readonly id: string;
      readonly told: { position: number | null } | null;
    }
  /** Everything that is in the queue. */
  | { readonly does: "list"; readonly told: readonly Listed[] | null };

export interface Created {
  readonly id: string;
  readonly number: number;
  /** Null where the caller was never told. */
  readonly position: number | null;
  /** The whole answer, which a replay repeats; null where the caller was never told. */
  readonly text: string | null;
}

export interface Listed {
  readonly id: string;
  readonly key: string;
  readonly number: number;
  readonly status: string;
}

/** A call with when it was made and answered, by one clock. */
export type Operation = Call & {
  readonly invoked: number;
  /** Infinity where no answer came: then it may have happened at any time since, or never. */
  readonly answered: number;
};

type CallTo<Does extends Call["does"]> = Extract<Call, { readonly does: Does }>;

/** Records what callers do and are told. */
export class History {
  readonly #operations: Operation[] = [];
  #clock = 0;

  /** The operations so far. */
  get operations(): readonly Operation[] {
    return this.#operations;
  }

  /**
   * Makes a call and records what its caller is told: what `send` returns. When it fails, nobody knows
   * what became of the call.
   */
  async record<Does extends Call["does"]>(
    call: Omit<CallTo<Does>, "told">,
    send: () => Promise<NonNullable<CallTo<Does>["told"]>>,
  ): Promise<NonNullable<CallTo<Does>["told"]>> {
    const invoked = ++this.#clock;
    const told = await send().catch((error) => {
      this.#add({ ...call, told: null } as Call, invoked);
      throw error;
    });
    this.#add({ ...call, told } as Call, invoked);
    return told;
  }

  #add(call: Call, invoked: number): void {
    const answered = call.told === null ? Number.POSITIVE_INFINITY : ++this.#clock;
    this.#operations.push({ ...call, invoked, answered });
  }
}
