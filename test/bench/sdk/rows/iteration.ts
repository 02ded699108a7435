import { clinic, usualDay } from "../../clinic.js";
import { megabytes, milliseconds } from "../contest.js";
import type { Iteration, IterationQuestion } from "../iteration-worker.js";
import type { SdkRow } from "../row.js";

const people = 100_000;

export const iteration: SdkRow = {
  name: "sdk-iteration",
  async measure(stage, rounds) {
    const { origin, key, queues } = await stage.service(clinic({ front: usualDay(people) }));
    const list = { origin, key, queueId: queues.front ?? "" };
    const start = () =>
      stage.worker<IterationQuestion, Iteration>(
        new URL("../iteration-worker.js", import.meta.url),
      );
    const [ours, theirs] = [start(), start()];
    const taken: { ours: Iteration; theirs: Iteration }[] = [];
    for (let round = 0; round <= rounds; round++) {
      const both = {
        ours: await ours.ask({ by: "sdk", list }),
        theirs: await theirs.ask({ by: "hand", list }),
      };
      if (both.ours.entries !== people || both.theirs.entries !== people) {
        throw new Error(`not all ${people} entries came`);
      }
      if (round > 0) taken.push(both); // the first one warms up
    }
    const measured = `iterating ${people.toLocaleString("en-US")} entries`;
    return [
      {
        measured,
        against: "a loop written by hand",
        goal: { most: 1.1 },
        ours: taken.map((round) => round.ours.milliseconds),
        theirs: taken.map((round) => round.theirs.milliseconds),
        shown: milliseconds,
      },
      {
        measured: `heap while ${measured}, at most`,
        against: "after the first tenth of them",
        goal: { most: 1.1 },
        ours: taken.map((round) => round.ours.mostHeap),
        theirs: taken.map((round) => round.ours.firstHeap),
        shown: megabytes,
      },
    ];
  },
};
