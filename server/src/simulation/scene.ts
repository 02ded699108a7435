import type { Caller } from "./caller.js";
import type { Counter } from "./counter.js";
import type { Narrator } from "./narrator.js";
import type { Story } from "./story.js";
import type { Waiting } from "./until-reachable.js";

/** What a story is played with. */
export interface Scene {
  readonly story: Story;
  /** The API, by which people arrive and give up. */
  readonly caller: Caller;
  /** The owner's side, where they are served. */
  readonly counter: Counter;
  readonly narrator: Narrator;
  readonly waiting: Waiting;
}
