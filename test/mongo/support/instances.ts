import type { OnTestFinishedHandler } from "vitest";
import type { Client } from "../../support/client.js";
import { Clinic } from "../../support/clinic.js";
import { mongoDatabase } from "../../support/mongo.js";
import { type Owner, ownerByCommand } from "../../support/owner.js";
import { type ServiceProcess, serve } from "../../support/process.js";
import { type BusinessSeed, clinicSeed } from "../../support/seed.js";

type AtEnd = (end: OnTestFinishedHandler) => void;

/** Several instances on one database, and a clinic of the test's own. */
export interface Instances {
  readonly url: string;
  readonly servers: readonly ServiceProcess[];
  readonly owner: Owner;
  readonly slug: string;
  readonly clinic: Clinic;
  /** The clinic's caller at one of the instances; numbers beyond the last begin anew. */
  client(instance: number, key?: string): Client;
}

/** Makes the code that a Node process runs first: its clock then stands so many minutes ahead. */
function clockAhead(minutes: number): Record<string, string> {
  const shift = `const real=Date.now;Date.now=()=>real()+${minutes * 60_000};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}` };
}

/** Starts an instance for each of these clocks, given in minutes by which they are ahead. */
export async function startInstances(
  clocks: readonly number[],
  atEnd: AtEnd,
  changes: BusinessSeed = {},
): Promise<Instances> {
  const database = mongoDatabase();
  atEnd(database.remove);
  const owner = ownerByCommand(database.url);
  const seed = clinicSeed(changes);
  const seeded = await owner.seed(seed);
  const servers = await Promise.all(
    clocks.map((minutes) => serve(database.url, atEnd, minutes === 0 ? {} : clockAhead(minutes))),
  );
  const at = (instance: number) => {
    const { url } = servers[instance % servers.length] ?? { url: "" };
    return new Clinic({ url, conformance: null }, seed.slug, seeded, "10.0.0.1");
  };
  return {
    url: database.url,
    servers,
    owner,
    slug: seed.slug,
    clinic: at(0),
    client: (instance, key) => at(instance).client(key),
  };
}
