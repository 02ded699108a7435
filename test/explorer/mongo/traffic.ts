import type { Database } from "../../../server/dist/store/mongo/connection.js";

type Client = ReturnType<Database["connection"]["getClient"]>;

/** Whether messages between an instance and its wire are pending, by the events of its driver. */
export class Traffic {
  readonly #moved: () => void;
  /** The number of commands that have started and have not reached the wire. */
  readonly #begun = new Set<number>();
  /** The number of commands that have not ended for the driver. */
  readonly #open = new Set<number>();
  /** The number of commands whose reply left the wire and has not reached the driver. */
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
      // The driver monitors its server again only on demand.
      void client
        .db()
        .command({ ping: 1 })
        .catch(() => {});
    });
    client.on("connectionPoolReady", () => this.#pool(true));
  }

  /** A command reached the wire. */
  came(requestId: number): void {
    this.#begun.delete(requestId);
  }

  /** A reply left the wire. */
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
