import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mongoDatabase } from "../support/mongo.js";
import type { Case } from "./case.js";
import { largeCase, situation } from "./cases.js";
import { type Explored, exhaust, type Failure, randomOf, replay, walk } from "./explore.js";
import { mongoScene } from "./mongo/mongo-scene.js";
import type { OpenedScene, SceneOptions } from "./scene.js";
import { sqliteScene } from "./sqlite/sqlite-scene.js";
import { Stage } from "./stage.js";

export const storeNames = ["sqlite", "mongo"] as const;
export type StoreName = (typeof storeNames)[number];

/** The faults of a case. */
export interface Trouble {
  /** The maximum number of faults: a lost reply, a late command, a process that dies. */
  readonly faults: number;
  /** How many times every lease can expire. */
  readonly ticks: number;
}

/** A failure, and how to reproduce it. */
interface ReportedFailure {
  readonly wrong: readonly string[];
  readonly again: string;
}

type AtEnd = (end: () => Promise<void>) => void;

/** The functions to call at the end, the latest first. */
export function storeEnds(): { readonly atEnd: AtEnd; readonly end: () => Promise<void> } {
  const ends: (() => Promise<void>)[] = [];
  return {
    atEnd: (end) => ends.unshift(end),
    end: async () => {
      for (const end of ends.splice(0)) await end();
    },
  };
}

/** Runs cases on one kind of store. Opens scenes when needed, and closes them at the end. */
export class Theatre {
  readonly #store: StoreName;
  readonly #atEnd: AtEnd;
  readonly #options: SceneOptions;
  readonly #stages = new Map<number | undefined, Promise<Stage>>();

  /** The options of a scene can add a deliberate error. */
  constructor(store: StoreName, atEnd: AtEnd, options: SceneOptions = {}) {
    this.#store = store;
    this.#atEnd = atEnd;
    this.#options = options;
  }

  /** Runs every schedule of a small case until one fails, or at most `most`. */
  async exhaust(
    name: string,
    trouble: Trouble,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Omit<Explored, "failure"> & { readonly failure: ReportedFailure | null }> {
    const put = { ...situation(name), ...trouble };
    const stage = await this.#stageFor(put);
    const explored = await exhaust(() => stage.begin(put), { most });
    return { ...explored, failure: explored.failure && this.#reported(put, explored.failure) };
  }

  /** Runs one random schedule of a large case by its seed. */
  seed(seed: number): Promise<ReportedFailure | null> {
    return this.#walk(largeCase(seed), seed);
  }

  /** Runs one random schedule of a small case by its seed. */
  walk(name: string, trouble: Trouble, seed: number): Promise<ReportedFailure | null> {
    return this.#walk({ ...situation(name), ...trouble }, seed);
  }

  async #walk(put: Case, seed: number): Promise<ReportedFailure | null> {
    const stage = await this.#stageFor(put);
    const failure = await walk(await stage.begin(put), randomOf(~seed));
    return failure && this.#reported(put, failure);
  }

  /** Runs a schedule again from its text. */
  async replay(line: string): Promise<ReportedFailure | null> {
    const { put, schedule } = readLine(line);
    const stage = await this.#stageFor(put);
    const failure = await replay(await stage.begin(put), schedule);
    return failure && this.#reported(put, failure);
  }

  #reported({ name, faults, ticks }: Case, { wrong, schedule }: Failure): ReportedFailure {
    const line = [this.#store, name, faults, ticks, schedule.join(", ")].join(" | ");
    return { wrong, again: `npm run explore -- --replay "${line}"` };
  }

  #stageFor({ dailyTokenLimit }: Case): Promise<Stage> {
    const known = this.#stages.get(dailyTokenLimit);
    if (known) return known;
    const stage = this.#open(dailyTokenLimit).then((scene) => {
      this.#atEnd(() => scene.close());
      return new Stage(scene);
    });
    this.#stages.set(dailyTokenLimit, stage);
    return stage;
  }

  async #open(dailyTokenLimit: number | undefined): Promise<OpenedScene> {
    const options = { ...this.#options, dailyTokenLimit };
    if (this.#store === "mongo") {
      const { url, remove } = mongoDatabase();
      this.#atEnd(remove);
      return mongoScene(url, options);
    }
    // These tests do not concern the disk, and waiting for it would take most of the time.
    const memory = "/dev/shm";
    const folder = await mkdtemp(
      join(existsSync(memory) ? memory : tmpdir(), "queue-api-explorer-"),
    );
    this.#atEnd(() => rm(folder, { recursive: true }));
    return sqliteScene(`file:${join(folder, "queue.db")}`, options);
  }
}

/** The store of a replayed schedule, which comes first in its text. */
export function storeOf(line: string): StoreName {
  const name = line.split(" | ")[0];
  const store = storeNames.find((store) => store === name);
  if (!store) throw new Error(`"${name}" is none of ${storeNames.join(", ")}`);
  return store;
}

function readLine(line: string): { put: Case; schedule: string[] } {
  const [, name = "", faults = "", ticks = "", steps = ""] = line.split(" | ");
  const trouble = { faults: Number(faults), ticks: Number(ticks) };
  const [, seed] = /^seed (\d+)$/.exec(name) ?? [];
  const put = seed === undefined ? { ...situation(name), ...trouble } : largeCase(Number(seed));
  return { put, schedule: steps === "" ? [] : steps.split(", ") };
}
