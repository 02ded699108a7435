import type { Database } from "../../../server/dist/store/mongo/connection.js";

type Client = ReturnType<Database["connection"]["getClient"]>;

/** Tells whether anything of an instance is on the way between it and its wire, by what its driver tells. */
export class Traffic {
  readonly #moved: () => void;
  /** Commands that were begun and have not come to the wire. */
  readonly #begun = new Set<number>();
  /** Commands that have not ended for the driver. */
  readonly #open = new Set<number>();
  /** Commands whose answer left the wire, but has not come to the driver. */
  readonly #answered = new Set<number>();
  #checkouts = 0;
  #poolIsReady = true;

  constructor(client: Client, moved: () => void) {
    this.#moved = moved;
    client.on("commandStarted", ({ requestId }) => {
      this.#begun.add(requestId);
      this.#open.add(requestId);
      moved();
    });
    const ended = ({ requestId }: { requestId: number }) => {
      for (const ids of [this.#begun, this.#open, this.#answered]) ids.delete(requestId);
      moved();
    };
    client.on("commandSucceeded", ended);
    client.on("commandFailed", ended);
    client.on("connectionCheckOutStarted", () => this.#checkOut(1));
    client.on("connectionCheckedOut", () => this.#checkOut(-1));
    client.on("connectionCheckOutFailed", () => this.#checkOut(-1));
    client.on("connectionPoolCleared", () => {
      this.#pool(false);
      // The driver looks for its server again only when somebody needs it.
      void client
        .db()
        .command({ ping: 1 })
        .catch(() => {});
    });
    client.on("connectionPoolReady", () => this.#pool(true));
  }

  /** A command has come to the wire. */
  came(requestId: number): void {
    this.#begun.delete(requestId);
  }

  /** An answer has left the wire. */
  left(requestId: number): void {
    if (this.#open.has(requestId)) this.#answered.add(requestId);
  }

  get isStill(): boolean {
    return (
      this.#begun.size === 0 &&
      this.#answered.size === 0 &&
      this.#checkouts === 0 &&
      this.#poolIsReady
    );
  }

  #checkOut(more: 1 | -1): void {
    this.#checkouts += more;
    this.#moved();
  }

  #pool(isReady: boolean): void {
    this.#poolIsReady = isReady;
    this.#moved();
  }
}
