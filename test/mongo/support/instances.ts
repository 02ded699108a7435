import { randomBytes } from "node:crypto";
import { openStore } from "@queue-api/server";
import type { Client } from "../../support/client.js";
import { Clinic } from "../../support/clinic.js";
import { mongoDatabase } from "../../support/mongo.js";
import { type Owner, ownerOf } from "../../support/owner.js";
import { type ServiceProcess, serve } from "../../support/process.js";
import { type BusinessSeed, clinicSeed } from "../../support/seed.js";

type AtEnd = (end: () => Promise<void>) => void;

/** Several instances on one database, each in its own process. */
export interface Instances {
  readonly url: string;
  readonly servers: readonly ServiceProcess[];
  /** The owner's actions, performed by this process as one more instance. */
  readonly owner: Owner;
  /** Creates a clinic with its own ids, keys and address. */
  clinic(changes?: BusinessSeed): Promise<SharedClinic>;
}

/** A clinic that all instances serve. */
export interface SharedClinic {
  readonly clinic: Clinic;
  readonly address: string;
  /** A client of the instance with this number, modulo the number of instances. Default key: main. */
  client(instance: number, key?: string): Client;
}

/** Returns the environment of a Node process whose clock is ahead by these minutes. */
function clockAhead(minutes: number): Record<string, string> {
  const shift = `const real=Date.now;Date.now=()=>real()+${minutes * 60_000};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}` };
}

/** Starts an instance for each clock. A clock is given as the minutes by which it is ahead. */
export async function startInstances(clocks: readonly number[], atEnd: AtEnd): Promise<Instances> {
  const { url, remove } = mongoDatabase();
  atEnd(remove);
  const store = await openStore(url, { random: randomBytes });
  atEnd(() => store.close());
  const owner = ownerOf(store, Date.now);
  const servers = await Promise.all(
    clocks.map((minutes) => serve(url, atEnd, minutes === 0 ? {} : clockAhead(minutes))),
  );
  let clinics = 0;
  return {
    url,
    servers,
    owner,
    async clinic(changes = {}) {
      const seed = clinicSeed(changes);
      const seeded = await owner.seed(seed);
      const address = `10.0.${++clinics}.1`;
      const at = (instance: number) => {
        const { url } = servers[instance % servers.length] ?? { url: "" };
        return new Clinic({ url, conformance: null }, seed.slug, seeded, address);
      };
      return { clinic: at(0), address, client: (instance, key) => at(instance).client(key) };
    },
  };
}
