/** What a test planned for its next requests: items with a route, each for a number of requests, in order. */
export class Plan<Item> {
  #planned: { readonly route: string; readonly item: Item; left: number }[] = [];

  /** `"*"` is any route. */
  add(route: string, item: Item, times = 1): void {
    this.#planned.push({ route, item, left: times });
  }

  /** Takes the first item for a request of this route, if any. */
  take(route: string | null): Item | null {
    const met = this.#planned.find((planned) => planned.route === "*" || planned.route === route);
    if (!met) return null;
    met.left--;
    if (met.left <= 0) this.#planned = this.#planned.filter((planned) => planned !== met);
    return met.item;
  }

  get pending(): number {
    return this.#planned.reduce((sum, { left }) => sum + left, 0);
  }

  clear(): void {
    this.#planned = [];
  }
}
