import type { Stage } from "../stage.js";
import type { ClientQuestion, Readings } from "./client-worker.js";
import type { ClientName, Target } from "./clients.js";

/** A client in a process of its own, which has read the entry often enough to be compiled. */
export interface ClientProcess {
  readings(reads: number, atOnce: number): Promise<Readings>;
}

export async function clientProcess(
  stage: Stage,
  client: ClientName,
  target: Target,
): Promise<ClientProcess> {
  const worker = stage.worker<ClientQuestion, Readings>(
    new URL("./client-worker.js", import.meta.url),
  );
  await worker.ask({ client, target });
  const readings = (reads: number, atOnce: number) => worker.ask({ reads, atOnce });
  await readings(2000, 50);
  return { readings };
}
