/** A call on one queue and its result, all on one business day. */
export type Call =
  | {
      readonly does: "create";
      /** The same for a repeated creation. */
      readonly key: string;
      readonly result: Created | "refused" | null;
    }
  | { readonly does: "cancel"; readonly id: string; readonly result: "canceled" | "refused" | null }
  /** The owner calls the next entry. The result is the entry's id, or `nobody` for an empty line. */
  | { readonly does: "next"; readonly result: string | null }
  /** The position of an entry. Null unless it is waiting. */
  | {
      readonly does: "place";
      readonly id: string;
      readonly result: { position: number | null } | null;
    }
  /** All entries of the queue. */
  | { readonly does: "list"; readonly result: readonly Listed[] | null };

export interface Created {
  readonly id: string;
  readonly number: number;
  /** Null if the caller never received it. */
  readonly position: number | null;
  /** The whole response, which a replay repeats. Null if the caller never received it. */
  readonly text: string | null;
}

export interface Listed {
  readonly id: string;
  readonly key: string;
  readonly number: number;
  readonly status: string;
}

/** A call with its start and end by the same clock. */
export type Operation = Call & {
  readonly invoked: number;
  /** Infinity without a response: then the call took effect at any time since its start, or never. */
  readonly answered: number;
  /** When the caller of a call without a response gave up. Default: never. */
  readonly failed?: number;
};

type CallTo<Does extends Call["does"]> = Extract<Call, { readonly does: Does }>;

/** Records the calls and their results. */
export class History {
  readonly #operations: Operation[] = [];
  #clock = 0;

  /** The recorded operations. */
  get operations(): readonly Operation[] {
    return this.#operations;
  }

  /**
   * Makes a call and records the result of `send`. If `send` fails, the effect of the call is unknown.
   */
  async record<Does extends Call["does"]>(
    call: Omit<CallTo<Does>, "result">,
    send: () => Promise<NonNullable<CallTo<Does>["result"]>>,
  ): Promise<NonNullable<CallTo<Does>["result"]>> {
    const invoked = ++this.#clock;
    const result = await send().catch((error) => {
      this.#add({ ...call, result: null } as Call, invoked);
      throw error;
    });
    this.#add({ ...call, result } as Call, invoked);
    return result;
  }

  #add(call: Call, invoked: number): void {
    const ended = ++this.#clock;
    this.#operations.push(
      call.result === null
        ? { ...call, invoked, answered: Number.POSITIVE_INFINITY, failed: ended }
        : { ...call, invoked, answered: ended },
    );
  }
}
