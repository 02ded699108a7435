import { check, type Fault, faultLine } from "../owner/faults.js";
import { type KeyOptions, keyChanges, keyOptions } from "../owner/key-options.js";
import type { KeyChange } from "../store/port/keys.js";
import { UsageError } from "./usage-error.js";

/** What `key create` is told of a key, flag by flag. */
export interface CreateFlags {
  readonly name: string;
  readonly scope: readonly string[];
  readonly days?: number;
  readonly allowIp?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly writesPerMinute?: number;
}

/** What `key set` is told of a key. */
export type SetFlags = Partial<Omit<CreateFlags, "scope" | "days">>;

/** What stands for an empty allowlist on the command line. */
export const everyAddress = "all";

/** NaN, which the schema refuses by name, for what is not a plain number. */
export function number(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}

const flags: Readonly<Record<string, string>> = {
  name: "--name",
  scopes: "--scope",
  days: "--days",
  allowIps: "--allow-ip",
  requestsPerMinute: "--requests-per-minute",
  writesPerMinute: "--writes-per-minute",
};

/** The options of a key, checked here so that a wrong one is told by its flag, as wrong usage. */
export function keyOptionsOf(options: CreateFlags): KeyOptions {
  const { scope, allowIp, ...rest } = options;
  const checked = check(keyOptions, { ...rest, scopes: scope, allowIps: allowIp });
  if (!checked.ok) throw new UsageError(faultLine(checked.faults.map(byFlag)));
  return checked.value;
}

/** What is to be changed of a key, checked likewise. */
export function keyChangeOf({ allowIp, ...rest }: SetFlags): KeyChange {
  const all = allowIp?.length === 1 && allowIp[0] === everyAddress;
  const change = { ...rest, ...(allowIp && { allowIps: all ? [] : allowIp }) };
  if (Object.keys(change).length === 0) {
    throw new UsageError(
      "there is nothing to change; name at least one of --name, --allow-ip, --requests-per-minute and --writes-per-minute",
    );
  }
  const checked = check(keyChanges, change);
  if (!checked.ok) throw new UsageError(faultLine(checked.faults.map(byFlag)));
  return checked.value;
}

function byFlag({ path, message }: Fault): Fault {
  const [field = ""] = path.split("[", 1);
  return { path: flags[field] ?? path, message };
}
