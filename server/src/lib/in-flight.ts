/**
 * A collection of items under way, each in its own slot until it is removed. A Set or Map with many additions and
 * removals leaves old hash tables behind, which keep the items alive until the next full garbage collection.
 */
export class InFlight<Item extends object> {
  readonly #items: (Item | null)[] = [];
  readonly #freePlaces: number[] = [];

  /** The number of items. */
  get size(): number {
    return this.#items.length - this.#freePlaces.length;
  }

  /** Adds an item and returns its slot. */
  add(item: Item): number {
    const place = this.#freePlaces.pop() ?? this.#items.length;
    this.#items[place] = item;
    return place;
  }

  /** Removes the item in a slot and returns it; undefined if the slot is empty. */
  take(place: number): Item | undefined {
    const item = this.#items[place];
    if (!item) return undefined;
    this.#items[place] = null;
    this.#freePlaces.push(place);
    return item;
  }

  /** All items, in no particular order. */
  all(): Item[] {
    return this.#items.filter((item) => item !== null);
  }
}
