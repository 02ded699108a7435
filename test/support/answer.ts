import type { ErrorResponse } from "@queue-api/contract";

/** An answer of the service, read whole. */
export class Answer<Data = unknown> {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  get json(): unknown {
    return JSON.parse(this.text);
  }

  /** The resource or the items of a success; the conformance check has seen that they fit the schema. */
  get data(): Data {
    return this.#field("data") as Data;
  }

  get nextCursor(): string | null {
    return this.#field("nextCursor") as string | null;
  }

  get error(): ErrorResponse["error"] {
    return this.#field("error") as ErrorResponse["error"];
  }

  /** Fields named in `error.details`, in the order of the alphabet. */
  get wrongFields(): string[] {
    return (this.error.details ?? []).map(({ field }) => field).sort();
  }

  get requestId(): string {
    return this.header("X-Request-Id");
  }

  /** A header that must be there. */
  header(name: string): string {
    const value = this.headers.get(name);
    if (value === null) throw new Error(`no ${name} in the answer ${this.status} ${this.text}`);
    return value;
  }

  number(name: string): number {
    return Number(this.header(name));
  }

  #field(name: string): unknown {
    const json = this.json;
    if (typeof json === "object" && json !== null && name in json) {
      return (json as Record<string, unknown>)[name];
    }
    throw new Error(`no ${name} in the answer ${this.status} ${this.text}`);
  }
}
