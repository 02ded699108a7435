import { once } from "node:events";
import { statSync } from "node:fs";
import type { SeedInput } from "@queue-api/server";
import type { Service, Stage } from "../../bench/stage.js";
import type { GroupReport } from "../attacker.js";
import { auditLog } from "../owner.js";
import type { Finding, Row, ShowProgress } from "../row.js";
import { asking, besiegedByConnections, healthyBusiness, promptness } from "../target.js";

/** Less than a minute, so that the flood is in at most two windows. */
const seconds = 50;
const connections = 32;
const slug = "noisy";

export const ignoredRefusals: Row = {
  name: "ignored-429",
  attack: `One standard key ignores its 429 for ${seconds} s, on ${connections} connections`,
  seconds: seconds + 15,
  run: (stage, showProgress) => flooded(stage, showProgress, []),
};

export const foreignAddress: Row = {
  name: "foreign-address",
  attack: `A key is used from outside its allowlist for ${seconds} s, on ${connections} connections`,
  seconds: seconds + 15,
  run: (stage, showProgress) => flooded(stage, showProgress, ["203.0.113.7"]),
};

/** A second business, with one key with the default limits. */
function noisyBusiness(allowIps: string[]): SeedInput["businesses"][number] {
  const keys = [{ ref: "key", name: "Noisy", scopes: ["queue:read" as const], allowIps }];
  return { slug, name: "Noisy Clinic", timezone: "UTC", queues: [], keys };
}

async function flooded(
  stage: Stage,
  showProgress: ShowProgress,
  allowIps: string[],
): Promise<readonly Finding[]> {
  const businesses = [...healthyBusiness.businesses, noisyBusiness(allowIps)];
  const service = await stage.service({ businesses });
  const key = service.tenants[1]?.key ?? "";
  const bytesBefore = bytesOnDisk(service);
  const attack = { seconds, groups: [asking("/v1/me", key, { connections })] };
  const siege = await besiegedByConnections(stage, service, attack, showProgress);
  await stopped(service);
  return [
    ...promptness(siege, 100),
    ...(await auditFindings(service, siege.reports, bytesOnDisk(service) - bytesBefore)),
  ];
}

/**
 * The rows that a client within its limits can cause in the windows of the flood, twice, because refused requests
 * up to the limit have a row each too, and some sums.
 */
const mostRows = 2 * 2 * 120 + 20;

async function auditFindings(
  service: Service,
  reports: readonly GroupReport[],
  grownBytes: number,
): Promise<readonly Finding[]> {
  const rows = await auditLog(service, slug);
  const requests = rows.reduce((sum, { count }) => sum + count, 0);
  const counts = reports.flatMap(({ answers }) => Object.values(answers));
  const answered = counts.reduce((sum, count) => sum + count, 0);
  const grown = (grownBytes / 2 ** 20).toFixed(1);
  return [
    {
      what: `rows of the audit log for ${answered} requests (the database grew by ${grown} MB in all)`,
      goal: `< ${mostRows}`,
      measured: `${rows.length}`,
      met: rows.length < mostRows,
    },
    {
      what: "requests that the audit log counts",
      goal: `${answered}`,
      measured: `${requests}`,
      met: requests === answered,
    },
  ];
}

function fileOf({ databaseUrl }: Service): string {
  return databaseUrl.slice("file:".length);
}

function bytesOnDisk(service: Service): number {
  const file = fileOf(service);
  return ["", "-wal"].reduce((sum, suffix) => {
    return sum + (statSync(file + suffix, { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

/** Stops a service gracefully, so that it stores everything. */
async function stopped({ process: child }: Service): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
