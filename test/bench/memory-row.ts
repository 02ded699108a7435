import { readFileSync } from "node:fs";
import { clinic, usualDay } from "./clinic.js";
import { megabytes, type Row } from "./compare.js";
import { type Load, send } from "./load.js";
import type { Service } from "./stage.js";

/** The resident memory of a process now, or the highest until now, in bytes. Needs `/proc`, so Linux. */
export function memoryOf({ pid }: Service["process"], which: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const [, kilobytes] = new RegExp(`^${which}:\\s+(\\d+) kB`, "m").exec(status) ?? [];
  return Number(kilobytes) * 1024;
}

/** What callers do in turn: they create, in a queue that gives a few tokens a second, fail, and look. */
function scenesOf({ key, queues, origin }: Service): Load[] {
  const queue = `/v1/queues/${queues.front}`;
  const entries = `${queue}/entries`;
  const paths = [queue, entries, "/v1/me", "/v1/services", "/v1/queues", "/v1/appointments"];
  const body = JSON.stringify({ name: "Kiran Bose", phone: "+91 98000 00099" });
  const read = { origin, connections: 32 };
  const create = { ...read, callers: [{ key, paths: [entries] }], idempotencyKey: "bench-[<id>]" };
  return [
    { ...create, status: 201, body, amount: 32 },
    { ...create, status: 400, body: "{" },
    { ...read, status: 404, callers: [{ key, paths: ["/v1/nothing"] }] },
    { ...read, callers: [{ key, paths }] },
  ];
}

/** The memory of our process after mixed load in each round, beside the same after the warm-up. */
export const memoryRow: Row = {
  name: "memory",
  measured: "SQLite: resident memory under mixed load",
  shown: megabytes,
  async sides(stage) {
    const service = await stage.service({ businesses: [clinic({ front: usualDay(200) })] });
    const scenes = scenesOf(service);
    let first = 0;
    const ours = async (milliseconds: number, round: number) => {
      const each = (10 * milliseconds) / scenes.length; // a process takes a while to reach its size
      for (const scene of scenes) await send(scene, each);
      const bytes = memoryOf(service.process, "VmRSS");
      if (round === 0) first = bytes;
      return bytes;
    };
    const side = async () => first;
    return { ours, rivals: [{ against: "after the first round", max: 1.1, side }] };
  },
};
