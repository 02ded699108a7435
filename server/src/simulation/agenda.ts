/** Something that is due at a time. */
interface Due<Item> {
  readonly at: number;
  readonly item: Item;
}

/** What is to happen, in the order of its time; of things at one time, first what was noted first. */
export class Agenda<Item> {
  readonly #dues: Due<Item>[] = [];

  get size(): number {
    return this.#dues.length;
  }

  /** What is due next; null when nothing is. */
  get next(): Due<Item> | null {
    return this.#dues[0] ?? null;
  }

  add(at: number, item: Item): void {
    const later = this.#dues.findIndex((due) => due.at > at);
    this.#dues.splice(later < 0 ? this.#dues.length : later, 0, { at, item });
  }

  /** Takes what is due next; null when nothing is. */
  take(): Due<Item> | null {
    return this.#dues.shift() ?? null;
  }
}
