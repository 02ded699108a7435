import type { ErrorResponse } from "@queue-api/contract";

/** A response of the service with its whole body. */
export class Answer<Data = unknown> {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly text: string,
  ) {}

  get json(): unknown {
    return JSON.parse(this.text);
  }

  /** The resource or the items of a success. The conformance check has validated them. */
  get data(): Data {
    return this.#field("data") as Data;
  }

  get nextCursor(): string | null {
    return this.#field("nextCursor") as string | null;
  }

  get error(): ErrorResponse["error"] {
    return this.#field("error") as ErrorResponse["error"];
  }

  /** The fields in `error.details`, in alphabetical order. */
  get wrongFields(): string[] {
    return (this.error.details ?? []).map(({ field }) => field).sort();
  }

  get requestId(): string {
    return this.header("X-Request-Id");
  }

  /** A header that must be present. */
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
