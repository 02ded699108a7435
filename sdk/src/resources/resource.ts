import type { ApiSender } from "../api-sender.js";

/** What the resources of a client have in common: their calls can be taken off, as `const { create } = api.entries`. */
export abstract class Resource {
  /** @internal */
  protected readonly api: ApiSender;

  /** @internal */
  constructor(api: ApiSender) {
    this.api = api;
    bindMethods(this);
  }
}

/** Makes methods work without the object that they are taken from. */
export function bindMethods(object: object): void {
  const { constructor: _, ...methods } = Object.getOwnPropertyDescriptors(
    Object.getPrototypeOf(object),
  );
  for (const [name, { value }] of Object.entries(methods)) {
    if (typeof value !== "function") continue;
    const bound = { value: value.bind(object), configurable: true, writable: true };
    Object.defineProperty(object, name, bound);
  }
}
