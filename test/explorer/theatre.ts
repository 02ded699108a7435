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

/** How much of a case goes wrong. */
export interface Trouble {
  /** How many faults may happen: an answer lost, a command that arrives late, a process that dies. */
  readonly faults: number;
  /** How many times every lease may run out. */
  readonly ticks: number;
}

/** What went wrong, and how to see it again. */
interface ToldFailure {
  readonly wrong: readonly string[];
  readonly again: string;
}

type AtEnd = (end: () => Promise<void>) => void;

/** What is to be done at the end of all, the latest first. */
export function storeEnds(): { readonly atEnd: AtEnd; readonly end: () => Promise<void> } {
  const ends: (() => Promise<void>)[] = [];
  return {
    atEnd: (end) => ends.unshift(end),
    end: async () => {
      for (const end of ends.splice(0)) await end();
    },
  };
}

/** Puts cases on one kind of store; scenes are opened when they are needed, and closed at the end. */
export class Theatre {
  readonly #store: StoreName;
  readonly #atEnd: AtEnd;
  readonly #options: SceneOptions;
  readonly #stages = new Map<number | undefined, Promise<Stage>>();

  /** With the options of a scene something can be made wrong on purpose. */
  constructor(store: StoreName, atEnd: AtEnd, options: SceneOptions = {}) {
    this.#store = store;
    this.#atEnd = atEnd;
    this.#options = options;
  }

  /** Runs every schedule of a small case until one goes wrong, or as many as `most`. */
  async exhaust(
    name: string,
    trouble: Trouble,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Omit<Explored, "failure"> & { readonly failure: ToldFailure | null }> {
    const put = { ...situation(name), ...trouble };
    const stage = await this.#stageFor(put);
    const explored = await exhaust(() => stage.begin(put), { most });
    return { ...explored, failure: explored.failure && this.#told(put, explored.failure) };
  }

  /** Runs one schedule of a large case, as the seed has it. */
  seed(seed: number): Promise<ToldFailure | null> {
    return this.#walk(largeCase(seed), seed);
  }

  /** Runs one schedule of a small case, as the seed has it. */
  walk(name: string, trouble: Trouble, seed: number): Promise<ToldFailure | null> {
    return this.#walk({ ...situation(name), ...trouble }, seed);
  }

  async #walk(put: Case, seed: number): Promise<ToldFailure | null> {
    const stage = await this.#stageFor(put);
    const failure = await walk(await stage.begin(put), randomOf(~seed));
    return failure && this.#told(put, failure);
  }

  /** Runs a schedule again, from its line. */
  async replay(line: string): Promise<ToldFailure | null> {
    const { put, schedule } = readLine(line);
    const stage = await this.#stageFor(put);
    const failure = await replay(await stage.begin(put), schedule);
    return failure && this.#told(put, failure);
  }

  #told({ name, faults, ticks }: Case, { wrong, schedule }: Failure): ToldFailure {
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
    // Nothing here is about the disk, and waiting for it would take most of the time.
    const memory = "/dev/shm";
    const folder = await mkdtemp(
      join(existsSync(memory) ? memory : tmpdir(), "queue-api-explorer-"),
    );
    this.#atEnd(() => rm(folder, { recursive: true }));
    return sqliteScene(`file:${join(folder, "queue.db")}`, options);
  }
}

/** What a replayed line is about: the store that comes first in it. */
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
