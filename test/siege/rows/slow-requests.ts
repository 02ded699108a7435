import type { GroupReport } from "../attacker.js";
import type { Finding, Row } from "../row.js";
import { besiegedByConnections, healthyBusiness, promptness } from "../target.js";

const trickling = 1_000;
const idle = 5_000;
const host = "Host: queue.example\r\n";

export const slowRequests: Row = {
  name: "slow-requests",
  attack: `${trickling} connections that trickle headers, ${trickling} that trickle bodies, ${idle} idle`,
  seconds: 60,
  async run(stage, showProgress) {
    const service = await stage.service(healthyBusiness);
    const create = `POST /v1/queues/${service.queues.front}/entries HTTP/1.1\r\n${host}`;
    const authorized = `Authorization: Bearer ${service.key}\r\n`;
    const attack = {
      addresses: 20,
      seconds: 45,
      reconnect: false,
      groups: [
        {
          name: "headers",
          connections: trickling,
          first: `GET /v1 HTTP/1.1\r\n${host}`,
          next: { text: "X-Note: one\r\n", everyMs: 5_000 },
        },
        {
          name: "bodies",
          connections: trickling,
          first: `${create}${authorized}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
          next: { text: " ", everyMs: 5_000 },
        },
        { name: "idle", connections: idle, first: "" },
      ],
    };
    const siege = await besiegedByConnections(stage, service, attack, showProgress);
    const { reports } = siege;
    return [
      ...promptness(siege, 300),
      ends(reports, "headers", 20),
      ends(reports, "bodies", 30),
      ends(reports, "idle", 20),
    ];
  },
};

/** The tolerance around the time at which a slow connection must end, in seconds. */
const tolerance = { before: 0.5, after: 2.5 };

function ends(reports: readonly GroupReport[], name: string, seconds: number): Finding {
  const found = reports.find((report) => report.name === name);
  const times = (found?.lifetimes ?? []).map((lifetime) => lifetime / 1_000);
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const lines = Object.entries(found?.firstLines ?? {}).map(
    ([line, count]) => `${count} × ${line}`,
  );
  return {
    what: `${name}: connections end after (${found?.open} open at the end; ${lines.join(", ")})`,
    goal: `${seconds} s`,
    measured: `${least.toFixed(1)}–${most.toFixed(1)} s`,
    met:
      found?.open === 0 && least > seconds - tolerance.before && most < seconds + tolerance.after,
  };
}
