import { check, type Fault, faultLine } from "../owner/faults.js";
import { type KeyOptions, keyChanges, keyOptions } from "../owner/key.js";
import type { KeyChange } from "../store/port/business.js";
import { UsageError } from "./errors.js";

/** The options of `key create`. */
export interface CreateFlags {
  readonly name: string;
  readonly scope: readonly string[];
  readonly days?: number;
  readonly allowIp?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly writesPerMinute?: number;
}

/** The options of `key set`. */
export type SetFlags = Partial<Omit<CreateFlags, "scope" | "days">>;

/** The value of `--allow-ip` that clears the allowlist. */
export const everyAddress = "all";

/** Parses a whole number. Other text becomes NaN, for which the schema reports the field. */
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

/** Checks the options of a new key. Throws UsageError, which names each wrong option. */
export function keyOptionsOf(options: CreateFlags): KeyOptions {
  const { scope, allowIp, ...rest } = options;
  const checked = check(keyOptions, { ...rest, scopes: scope, allowIps: allowIp });
  if (!checked.ok) throw new UsageError(faultLine(checked.faults.map(byFlag)));
  return checked.value;
}

/** Checks the changes to a key. Throws UsageError. */
export function keyChangeOf({ allowIp, ...rest }: SetFlags): KeyChange {
  const all = allowIp?.length === 1 && allowIp[0] === everyAddress;
  const change = { ...rest, ...(allowIp && { allowIps: all ? [] : allowIp }) };
  if (Object.keys(change).length === 0) {
    throw new UsageError(
      "name at least one of --name, --allow-ip, --requests-per-minute and --writes-per-minute",
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
