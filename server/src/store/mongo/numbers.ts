import { Coalescer, lanes } from "./coalescer.js";
import { type DayDoc, dayId, dayOf } from "./collections/days.js";
import type { Database, Filter } from "./connection.js";
import { contributionOf } from "./line.js";
import {
  type DayLine,
  type Newcomer,
  type Place,
  waiting,
  withNumbers,
  withReport,
} from "./line-numbers.js";
import { giveNumbers, lineAt, lineField } from "./line-pipeline.js";
import type { Announced, Lines } from "./lines.js";
import { openDays } from "./open-days.js";
import { keyOf, type LinePlace, raisesDoubt } from "./reports.js";
import type { StoreTime } from "./time.js";
import { isPartlyDone } from "./unavailable.js";

/** An assigned number, and the line before it. */
export interface Numbered extends Place {
  /** The epoch of the line, and when the command that assigned the number was sent; see `Lines.begun`. */
  readonly epoch: number;
  readonly since: number;
}

type NumberAnswer = Numbered | "plan_limit_reached";

/** Tokens that need numbers of one line. */
interface Group {
  readonly place: LinePlace;
  readonly newcomers: readonly Newcomer[];
}

/** A line with the numbers of a group, as this process has computed it from the line that it read. */
interface Draft {
  readonly group: Group;
  readonly answers: readonly Numbered[];
  readonly announced: Announced;
  readonly write: { readonly filter: Filter<DayDoc>; readonly update: object };
}

/** How often numbers are assigned again because the line was in doubt. */
const mostTries = 5;

/** Fewer lines than this are numbered one by one, because numbering them together takes two commands. */
const leastTogether = 2;

/**
 * Assigns token numbers, and counts the tokens as waiting. The caller must end that change of the line. There
 * are two ways, and both are exact with any number of processes:
 *
 * - For one line, a pipeline numbers tokens in the order of their arrival.
 * - For many lines at once, one read finds the lines, and one update writes each of them with its new tokens,
 *   if it is still as it was read. Lines that have changed in between, are in doubt or have no room are
 *   numbered in the first way.
 */
export class Numbers {
  readonly #db: Database;
  readonly #time: StoreTime;
  readonly #lines: Lines;
  readonly #groups = new Coalescer<Newcomer, NumberAnswer>((_, newcomers) =>
    this.#numberEach(newcomers),
  );
  readonly #together = new Coalescer<Group, readonly Numbered[] | null>(
    (_, groups) => this.#numberTogether(groups),
    { lanes },
  );

  constructor(db: Database, time: StoreTime, lines: Lines) {
    this.#db = db;
    this.#time = time;
    this.#lines = lines;
  }

  /** Gives a token its number. */
  give(newcomer: Newcomer): Promise<NumberAnswer> {
    return this.#groups.run(keyOf(placeOf(newcomer)), newcomer);
  }

  async #numberEach(newcomers: readonly Newcomer[]): Promise<readonly NumberAnswer[]> {
    const [first] = newcomers;
    if (!first) return [];
    const group = { place: placeOf(first), newcomers };
    return (await this.#together.run("", group)) ?? this.#numberOne(group);
  }

  /**
   * Numbers the tokens of several lines. The result is null for a line that was not numbered.
   *
   * @throws if it is unknown which lines were numbered.
   */
  async #numberTogether(groups: readonly Group[]): Promise<(readonly Numbered[] | null)[]> {
    if (groups.length < leastTogether) return groups.map(() => null);
    const since = this.#time.elapsed();
    const days = await this.#read(groups);
    const drafts = groups.map((group) => this.#draft(group, days.get(dayIdOf(group)), since));
    const written = await this.#write(drafts.filter((draft) => draft !== null));
    return drafts.map((draft) => (draft && written.has(draft) ? draft.answers : null));
  }

  async #read(groups: readonly Group[]): Promise<Map<string, DayNow>> {
    const fields = groups.map(({ place }) => [lineField(place.queueId), 1]);
    const projection = {
      ...{ created: 1, now: this.#time.expression() },
      ...Object.fromEntries(fields),
    };
    const days = await this.#db.days.raw.find(daysOf(groups), { projection }).toArray();
    return new Map((days as WithTime<DayDoc>[]).map((day) => [day._id, day]));
  }

  /** Null if only the pipeline can number these tokens. */
  #draft(group: Group, day: DayNow | undefined, since: number): Draft | null {
    const { place, newcomers } = group;
    const line = day?.lines[place.queueId];
    if (!day || !line?.stamp || this.#lines.isDoubtful({ line, now: day.now })) return null;
    const { created, now } = day;
    const { places, after } = withNumbers({ created, line }, newcomers);
    const given = places.filter((answer) => answer !== "plan_limit_reached");
    if (given.length < newcomers.length) return null;

    this.#time.observe(now);
    const announced = this.#lines.announce(place, newcomers.length);
    if (raisesDoubt(announced.report, line)) {
      announced.notSent();
      return null;
    }
    const field = lineField(place.queueId);
    const limit = Math.min(
      ...newcomers.map((one) => one.dailyTokenLimit ?? Number.POSITIVE_INFINITY),
    );
    return {
      group,
      answers: given.map((answer) => ({ ...answer, epoch: line.epoch, since })),
      announced,
      write: {
        filter: {
          ...dayOf(place),
          // Earlier versions of this program change the revision and not the stamp.
          [`${field}.revision`]: line.revision,
          [`${field}.stamp`]: line.stamp,
          ...(limit < Number.POSITIVE_INFINITY && {
            created: { $lte: limit - newcomers.length },
          }),
        },
        update: {
          $inc: { created: newcomers.length },
          $set: { [field]: withReport(after.line, announced.report, now) },
        },
      },
    };
  }

  /** Returns the drafts that were written. */
  async #write(drafts: readonly Draft[]): Promise<ReadonlySet<Draft>> {
    if (drafts.length === 0) return new Set();
    // All processes write in the same order, so that they do not deadlock.
    const ordered = drafts.toSorted((one, other) =>
      keyOf(one.group.place) < keyOf(other.group.place) ? -1 : 1,
    );
    try {
      const matched = await this.#db.days.raw
        .bulkWrite(
          ordered.map(({ write }) => ({ updateOne: write })),
          { ordered: false },
        )
        .then(({ matchedCount }) => matchedCount)
        .catch((error) => {
          if (!isPartlyDone(error)) throw error;
          return null;
        });
      const written =
        matched === drafts.length ? new Set(drafts) : await this.#findWritten(drafts, matched);
      for (const { announced } of written) announced.arrived();
      return written;
    } catch (error) {
      for (const { announced } of drafts) announced.unknown();
      throw error;
    }
  }

  /**
   * Finds out which drafts were written, by the report that each one contains. A later report of this process
   * may have replaced it; then the number of written drafts decides, if it is known.
   */
  async #findWritten(
    drafts: readonly Draft[],
    matched: number | null,
  ): Promise<ReadonlySet<Draft>> {
    const days = matched === 0 ? null : await this.#read(drafts.map(({ group }) => group));
    const keptTurn = ({ group, announced }: Draft) => {
      const { open = {} } = days?.get(dayIdOf(group))?.lines[group.place.queueId] ?? {};
      return open[announced.report.instance]?.turn ?? 0;
    };
    const written = drafts.filter((draft) => keptTurn(draft) === draft.announced.report.turn);
    for (const draft of drafts.filter((draft) => !written.includes(draft))) {
      const { report, notSent, unknown } = draft.announced;
      if (written.length === matched || keptTurn(draft) < report.turn) notSent();
      else unknown();
    }
    return new Set(written);
  }

  /** Numbers tokens of one line in one command, with the line as each token finds it. */
  async #numberOne({ place, newcomers }: Group): Promise<NumberAnswer[]> {
    const { businessId, queueId, date } = place;
    for (let tries = 0; ; tries++) {
      const since = this.#time.elapsed();
      const { before, report } = await this.#takeNumbers({ place, newcomers });
      if (!before) {
        await openDays(this.#db, [{ businessId, date }]);
        continue;
      }
      this.#time.observe(before.now);
      const { epoch } = before.line;
      const answers = withNumbers(before, newcomers).places.map((answer) =>
        answer === "plan_limit_reached" ? answer : { ...answer, epoch, since },
      );
      const refused = answers.filter((answer) => answer === "plan_limit_reached").length;
      this.#lines.notBegun(place, refused);
      const isDoubtful = this.#lines.isDoubtful(before) || raisesDoubt(report, before.line);
      if (!isDoubtful || tries >= mostTries) return answers;
      // The numbers come from a count that may be wrong. After a recount, new numbers are assigned.
      const recounted = await this.#lines
        .recount(businessId, date, queueId)
        .catch(async (error) => {
          await this.#leaveOut(newcomers, answers).catch(() => {}); // the line is in doubt anyway
          throw error;
        });
      if (!recounted) return answers;
      await this.#leaveOut(newcomers, answers);
    }
  }

  /** Returns the line before the command, and the report in the command. */
  async #takeNumbers({ place, newcomers }: Group) {
    const { queueId } = place;
    const { day, report } = await this.#lines.reporting(place, newcomers.length, (report, now) =>
      this.#db.days.raw.findOneAndUpdate(
        dayOf(place),
        giveNumbers(queueId, newcomers, report, now),
        { returnDocument: "before", projection: { created: 1, line: lineAt(queueId), now } },
      ),
    );
    return { before: day as LineBefore | null, report };
  }

  async #leaveOut(newcomers: readonly Newcomer[], answers: readonly NumberAnswer[]): Promise<void> {
    const undone = newcomers.map(async (newcomer, at) => {
      const answer = answers[at];
      if (!answer || answer === "plan_limit_reached") return;
      const joins = contributionOf(waiting(newcomer, answer.tokenNumber));
      const change = { leaves: null, joins };
      await this.#lines.begun(placeOf(newcomer), answer.epoch, change, answer.since).undo();
    });
    const failed = (await Promise.allSettled(undone)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }
}

type WithTime<Doc> = Doc & { readonly now: number };
type DayNow = WithTime<DayDoc>;
type LineBefore = WithTime<DayLine>;

function placeOf({ businessId, date, queue }: Newcomer): LinePlace {
  return { businessId, date, queueId: queue.id };
}

function dayIdOf({ place }: Group): string {
  return dayId(place.businessId, place.date);
}

/** A filter for the days of these lines. It includes the businesses, by which a cluster finds the shards. */
function daysOf(groups: readonly Group[]) {
  return {
    _id: { $in: [...new Set(groups.map(dayIdOf))] },
    businessId: { $in: [...new Set(groups.map(({ place }) => place.businessId))] },
  };
}
