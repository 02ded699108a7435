import type { Act, Case } from "./case.js";
import { randomOf } from "./explore.js";

/** A case without its number of faults. */
type Situation = Omit<Case, "faults" | "ticks">;

const create = (name: string, key: string, at: number, ...after: string[]): Act => ({
  ...{ name, does: "create", key, at },
  ...(after.length > 0 && { after }),
});
const cancel = (name: string, of: string, at: number, ...after: string[]): Act => ({
  ...{ name, does: "cancel", of, at },
  ...(after.length > 0 && { after }),
});

const transfer = (name: string, of: string, at: number, ...after: string[]): Act => ({
  ...{ name, does: "transfer", of, at },
  ...(after.length > 0 && { after }),
});

/** Cases that are small enough to run every schedule. */
export const situations: readonly Situation[] = [
  {
    name: "two requests with one key",
    acts: [create("a", "K", 0), create("b", "K", 1)],
    waiting: 1,
  },
  {
    name: "a third request after two",
    acts: [create("a", "K", 0), create("b", "K", 1), create("c", "K", 0, "a", "b")],
    waiting: 1,
  },
  {
    name: "three requests with one key",
    acts: [create("a", "K", 0), create("b", "K", 1), create("c", "K", 0)],
  },
  {
    name: "a queue that is paused between two requests",
    acts: [
      create("a", "K", 0),
      { name: "p", does: "pause" },
      create("b", "K", 1, "p"),
      { name: "r", does: "resume", after: ["b"] },
      create("c", "K", 1, "a", "r"),
    ],
  },
  {
    name: "the last token of the day",
    acts: [create("a", "K", 0), create("b", "L", 1), create("c", "K", 1, "a", "b")],
    dailyTokenLimit: 1,
  },
  {
    name: "a cancellation during a creation",
    acts: [create("a", "K", 0), cancel("x", "first", 1), cancel("y", "a", 1, "a")],
    waiting: 1,
  },
  {
    name: "a cancellation during a call",
    acts: [cancel("x", "first", 1), { name: "n", does: "call" }],
    waiting: 1,
  },
  {
    name: "a cancellation during a call and its undo",
    acts: [
      cancel("x", "first", 1),
      { name: "n", does: "call" },
      { name: "u", does: "undo", of: "first", after: ["n"] },
      cancel("y", "first", 0, "u"),
    ],
    waiting: 1,
  },
  {
    name: "two transfers of one entry",
    acts: [transfer("s", "first", 0), transfer("t", "first", 1)],
    waiting: 1,
  },
  {
    name: "a transfer during a transfer and its undo",
    acts: [
      transfer("s", "first", 0),
      { ...{ name: "b", does: "return", of: "first", at: 1 }, after: ["s"] },
      transfer("t", "first", 0, "s"),
    ],
    waiting: 1,
  },
  {
    name: "a creation and a read of its entry",
    acts: [create("a", "K", 0), { name: "g", does: "read", of: "a", at: 1, after: ["a"] }],
  },
  {
    name: "reads before and after a cancellation on another instance",
    acts: [
      { name: "g", does: "read", of: "first", at: 0 },
      cancel("x", "first", 1),
      { name: "h", does: "read", of: "first", at: 0, after: ["g", "x"] },
      { name: "i", does: "read", of: "first", at: 0, after: ["h"] },
    ],
    waiting: 1,
  },
];

/** A small case by its name. */
export function situation(name: string): Situation {
  const found = situations.find((situation) => situation.name === name);
  if (!found) throw new Error(`there is no case "${name}"`);
  return found;
}

/** A large case, the same one for the same seed: up to eight acts on two instances, with two faults. */
export function largeCase(seed: number): Case {
  const random = randomOf(seed);
  const maybe = <Value>(value: Value): Value[] => (random() < 0.4 ? [value] : []);
  const somewhere = () => (random() < 0.5 ? 0 : 1);
  const isLimited = random() < 0.25;
  const acts: Act[] = [
    create("a", "K", 0),
    create("b", "K", somewhere()),
    ...maybe(create("c", "K", somewhere())),
    ...maybe(create("d", "L", somewhere())),
    ...maybe(cancel("x", "first", somewhere())),
    ...maybe(cancel("y", "a", somewhere(), "a")),
    ...maybe<Act>({ name: "n", does: "call" }),
    ...maybe<Act>({ name: "u", does: "undo", of: "first" }),
    ...maybe<Act>({ name: "g", does: "read", of: "a", at: somewhere(), after: ["a"] }),
    ...maybe<Act>({ name: "h", does: "read", of: "first", at: somewhere() }),
  ];
  if (acts.some(({ name }) => name === "x")) {
    acts.push(
      ...maybe<Act>({ name: "i", does: "read", of: "first", at: somewhere(), after: ["x"] }),
    );
  }
  const pausing: Act[] = maybe<Act>({ name: "p", does: "pause" });
  if (pausing.length > 0) pausing.push({ name: "r", does: "resume", after: ["p", "b"] });
  const earlier = [...acts, ...pausing].map(({ name }) => name);
  return {
    name: `seed ${seed}`,
    acts: [...acts, ...pausing, create("e", "K", somewhere(), ...earlier)],
    waiting: 1,
    faults: 2,
    ticks: 1,
    ...(isLimited && { dailyTokenLimit: 2 }),
  };
}
