import { isDeepStrictEqual } from "node:util";
import { authorization, read } from "../api.js";
import type { Tenant } from "../stage.js";

/** Fails unless both servers answer a path with the same JSON. */
export async function sameAnswer(service: Tenant, peer: string, path: string): Promise<void> {
  const ours = await read(service.origin, path, authorization(service));
  const theirs = await read(peer, path);
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`the answers to ${path} are not the same`);
}
