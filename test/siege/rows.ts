import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import { clinic, waiting } from "../bench/clinic.js";
import type { Stage } from "../bench/stage.js";
import type { Group } from "./attacker.js";
import { attackWith, besiege, type Finding, healthy } from "./target.js";

/** An attack on a separate server. */
export interface Row {
  /** The name that selects the row on the command line. */
  readonly name: string;
  readonly attack: string;
  readonly seconds: number;
  /** Starts a server, attacks it, and returns the measured values. The stage stops what it started. */
  run(stage: Stage): Promise<readonly Finding[]>;
}

const host = "Host: queue.example\r\n";
const pipelining = 32;

/** Connections that send many requests and read little of the responses, or nothing. */
function unread(
  row: Pick<Row, "name" | "attack" | "seconds">,
  how: Pick<Group, "addresses" | "reads">,
): Row {
  const first = `GET /v1/openapi.json HTTP/1.1\r\n${host}\r\n`.repeat(pipelining);
  const group = { ...how, connections: 2_000, first, reconnect: true };
  return {
    ...row,
    async run(stage) {
      const nodeOptions = ["--max-old-space-size=512"];
      const service = await stage.service({ businesses: [healthy] }, { nodeOptions });
      return besiege(stage, service, { p99: 500, memory: 400 }, () => {
        return attackWith(service, [group], row.seconds);
      });
    },
  };
}

const unknownPaths: Row = {
  name: "unknown-paths",
  attack: `No key: 100 connections × ${pipelining} pipelined requests to an unknown path, again and again`,
  seconds: 20,
  async run(stage) {
    const service = await stage.service({ businesses: [healthy] });
    const url = `${service.origin}/v1/nothing`;
    return besiege(stage, service, { p99: 300 }, async () => {
      await autocannon({ url, pipelining, connections: 100, duration: this.seconds });
    });
  },
};

const trickling = 1_000;
const idle = 5_000;

const slowRequests: Row = {
  name: "slow-requests",
  attack: `${trickling} connections that trickle headers, ${trickling} that trickle bodies, ${idle} idle`,
  seconds: 45,
  async run(stage) {
    const service = await stage.service({ businesses: [healthy] });
    const create = `POST /v1/queues/${service.queues.front}/entries HTTP/1.1\r\n${host}`;
    const body = "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    const usual = { addresses: 20, reads: "everything", reconnect: false } as const;
    const groups: Group[] = [
      {
        ...usual,
        connections: trickling,
        first: `GET /v1 HTTP/1.1\r\n${host}`,
        next: { text: "X-Note: one\r\n", everyMs: 5_000 },
      },
      {
        ...usual,
        connections: trickling,
        first: `${create}Authorization: Bearer ${service.key}\r\n${body}`,
        next: { text: " ", everyMs: 5_000 },
      },
      { ...usual, connections: idle, first: "" },
    ];
    return besiege(stage, service, { p99: 300 }, () => {
      return attackWith(service, groups, this.seconds);
    });
  },
};

/** A key that goes on after it is refused. */
function refused(name: string, attack: string, allowIps: string[]): Row {
  const keys = [{ ref: "key", name: "Noisy", scopes: ["queue:read" as const], allowIps }];
  const noisy = { slug: "noisy", name: "Noisy Clinic", timezone: "UTC", queues: [], keys };
  return {
    name,
    attack,
    seconds: 50,
    async run(stage) {
      const service = await stage.service({ businesses: [healthy, noisy] });
      const headers = { authorization: `Bearer ${service.tenants[1]?.key}` };
      const url = `${service.origin}/v1/me`;
      return besiege(stage, service, { p99: 100 }, async () => {
        await autocannon({ url, headers, connections: 32, duration: this.seconds });
      });
    },
  };
}

/** As many as a queue gives on one day. */
const people = 10_000;

const longLine: Row = {
  name: "long-line",
  attack: `${people} people wait in one queue, which 10 keys poll twice a second`,
  seconds: 40,
  async run(stage) {
    const crowded = clinic({ front: waiting(people) }, "crowded");
    const service = await stage.service({ businesses: [healthy, crowded] });
    const { key, queues } = service.tenants[1] ?? service;
    const url = `${service.origin}/v1/queues/${queues.front}`;
    const headers = { authorization: `Bearer ${key}` };
    return besiege(stage, service, { p99: 50, memory: 400 }, async () => {
      const end = performance.now() + this.seconds * 1_000;
      const poll = async () => {
        while (performance.now() < end) {
          await (await fetch(url, { headers })).text();
          await pause(500); // autocannon would send all requests of a second at once
        }
      };
      await Promise.all(Array.from({ length: 10 }, poll));
    });
  },
};

export const rows: readonly Row[] = [
  unread(
    {
      name: "unread",
      attack: `No key: 2,000 connections, each sends ${pipelining} GET /v1/openapi.json and reads nothing`,
      seconds: 30,
    },
    { addresses: 1, reads: "nothing" },
  ),
  unread(
    {
      name: "slowly-read",
      attack: "The same from 20 addresses; each reads 1,500 bytes every 20 s",
      seconds: 75,
    },
    { addresses: 20, reads: { bytes: 1_500, everyMs: 20_000 } },
  ),
  unknownPaths,
  slowRequests,
  refused("ignored-429", "One standard key ignores its 429, on 32 connections", []),
  refused("foreign-address", "A key is used from outside its allowlist, on 32 connections", [
    "203.0.113.7",
  ]),
  longLine,
];
