import { limits } from "@queue-api/contract";
import { z } from "zod";
import { millisecondsPerDay } from "./key.js";
import type { ValidationIssue } from "./validation-issues.js";

/** A value in the file with its path. */
interface Part {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
}

/**
 * Finds the issues between parts of a seed file: repeated slugs and refs, unknown services, too many keys and too long
 * lifetimes. The schema finds the issues of single fields. This function reads the raw file, so that the error can name
 * both kinds together.
 */
export function referenceIssues(file: unknown, now: number): ValidationIssue[] {
  const businesses = items({ value: file, path: [] }, "businesses");
  return [
    ...repeated(businesses, "slug", "is used twice in this seed"),
    ...businesses.flatMap((business) => businessIssues(business, now)),
  ];
}

function businessIssues(business: Part, now: number): ValidationIssue[] {
  const services = items(business, "services");
  const queues = items(business, "queues");
  const entries = queues.flatMap((queue) => items(queue, "entries"));
  const appointments = items(business, "appointments");
  const keys = items(business, "keys");
  const offered = new Set(services.map((service) => field(service, "ref")));
  return [
    ...[services, queues, entries, appointments, keys].flatMap((parts) =>
      repeated(parts, "ref", "is used twice in this business"),
    ),
    ...[...entries, ...appointments]
      .filter((part) => typeof field(part, "service") === "string")
      .filter((part) => !offered.has(field(part, "service")))
      .map((part) => issueOf(part, "service", "must be the ref of a service of this business")),
    ...keyIssues(business, keys, now),
  ];
}

function keyIssues(business: Part, keys: readonly Part[], now: number): ValidationIssue[] {
  const latest = now + limits.keyLifetimeDays.max * millisecondsPerDay;
  const expiry = (key: Part) => Date.parse(String(field(key, "expiresAt")));
  const active = keys.filter((key) => field(key, "revoked") !== true && !(expiry(key) <= now));
  return [
    ...keys
      .filter((key) => expiry(key) > latest)
      .map((key) =>
        issueOf(key, "expiresAt", `must lie at most ${limits.keyLifetimeDays.max} days ahead`),
      ),
    ...(active.length > limits.activeKeys
      ? [issueOf(business, "keys", `must contain at most ${limits.activeKeys} active keys`)]
      : []),
  ];
}

/** An issue for each part whose field has the same text as that of an earlier part. */
function repeated(parts: readonly Part[], name: string, message: string): ValidationIssue[] {
  const seen = new Set<unknown>();
  return parts.flatMap((part) => {
    const value = field(part, name);
    if (typeof value !== "string") return [];
    if (seen.has(value)) return [issueOf(part, name, message)];
    seen.add(value);
    return [];
  });
}

function issueOf(part: Part, name: string, message: string): ValidationIssue {
  return { path: z.core.toDotPath([...part.path, name]), message };
}

function field({ value }: Part, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** The items of a list; empty if the field is not a list. */
function items(part: Part, name: string): Part[] {
  const list = field(part, name);
  if (!Array.isArray(list)) return [];
  return list.map((value, index) => ({ value, path: [...part.path, name, index] }));
}
