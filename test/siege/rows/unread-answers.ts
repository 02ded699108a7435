import type { Stage } from "../../bench/stage.js";
import type { ConnectionGroup } from "../attacker.js";
import type { Row } from "../row.js";
import {
  attackerAddresses,
  attackers,
  besiege,
  healthyBusiness,
  healthyClient,
  hold,
  memoryBound,
  promptness,
} from "../target.js";

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
    neverRead(stage, showProgress, { from: 1, reads: "nothing", seconds: 30 }),
};

export const slowlyReadAnswers: Row = {
  name: "slowly-read",
  attack: "The same from 20 addresses; each reads 1,500 bytes every 20 s",
  seconds: 90,
  run: (stage, showProgress) =>
    neverRead(stage, showProgress, {
      from: 20,
      reads: { bytes: 1_500, everyMs: 20_000 },
      seconds: 75,
    }),
};

interface Reading {
  /** The number of addresses of the attack. */
  readonly from: number;
  readonly reads: NonNullable<ConnectionGroup["reads"]>;
  readonly seconds: number;
}

async function neverRead(stage: Stage, showProgress: (progress: string) => void, how: Reading) {
  const service = await stage.service(healthyBusiness, {
    nodeOptions: ["--max-old-space-size=512"],
  });
  const siege = await besiege(stage, service, healthyClient(service), async () => {
    const attack = await attackers(stage, {
      origin: service.origin,
      from: attackerAddresses(how.from),
      groups: [{ name: "unread", connections, first: requests, reads: how.reads }],
      reconnect: true,
    });
    await hold(how.seconds, showProgress);
    const [report] = await attack.stop();
    showProgress(JSON.stringify({ ...report, lifetimes: report?.lifetimes.length }));
  });
  return [
    ...promptness(siege, 500, "dies after 1,233 connections"),
    memoryBound(siege, 400, "2.6 GB"),
  ];
}
