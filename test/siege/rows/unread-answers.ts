import type { Stage } from "../../bench/stage.js";
import type { ConnectionGroup } from "../attacker.js";
import type { Row, ShowProgress } from "../row.js";
import { besiegedByConnections, healthyBusiness, memoryBound, promptness } from "../target.js";

const connections = 2_000;
const requestsAtOnce = 32;
const requests = "GET /v1/openapi.json HTTP/1.1\r\nHost: queue.example\r\n\r\n".repeat(
  requestsAtOnce,
);

export const unreadAnswers: Row = {
  name: "unread",
  attack: `No key: ${connections} connections, each sends ${requestsAtOnce} GET /v1/openapi.json and reads nothing`,
  seconds: 45,
  run: (stage, showProgress) =>
    neverRead(stage, showProgress, { addresses: 1, reads: "nothing", seconds: 30 }),
};

export const slowlyReadAnswers: Row = {
  name: "slowly-read",
  attack: "The same from 20 addresses; each reads 1,500 bytes every 20 s",
  seconds: 90,
  run: (stage, showProgress) =>
    neverRead(stage, showProgress, {
      addresses: 20,
      reads: { bytes: 1_500, everyMs: 20_000 },
      seconds: 75,
    }),
};

interface Reading {
  /** The number of addresses of the attack. */
  readonly addresses: number;
  readonly reads: NonNullable<ConnectionGroup["reads"]>;
  readonly seconds: number;
}

async function neverRead(stage: Stage, showProgress: ShowProgress, { reads, ...how }: Reading) {
  const nodeOptions = ["--max-old-space-size=512"];
  const service = await stage.service(healthyBusiness, { nodeOptions });
  const groups = [{ name: "unread", connections, first: requests, reads }];
  const attack = { ...how, groups, reconnect: true };
  const siege = await besiegedByConnections(stage, service, attack, showProgress);
  return [...promptness(siege, 500), memoryBound(siege, 400)];
}
