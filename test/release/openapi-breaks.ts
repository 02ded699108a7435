import { isDeepStrictEqual } from "node:util";
import { type Comparing, type Json, whyNotWithin } from "./json-schema-within.js";

/**
 * Returns what in a changed OpenAPI document breaks programs that were written for the earlier one, a line
 * each. By the rules of the interface, endpoints, optional parameters, fields of responses and error codes
 * may be added, and nothing else may change. It supports the part of OpenAPI that this document uses. An
 * unknown difference counts as a break.
 */
export function openApiBreaks(before: Json, after: Json): string[] {
  const sides = { before: new Side(before), after: new Side(after) };
  return [...sides.before.operations].flatMap(([name, operation]) => {
    const now = sides.after.operations.get(name);
    return now ? operationBreaks(name, operation, now, sides) : [`${name}: is gone`];
  });
}

interface Sides {
  readonly before: Side;
  readonly after: Side;
}

/** One of the two documents. */
class Side {
  readonly operations = new Map<string, Json>();
  readonly #document: Json;

  constructor(document: Json) {
    this.#document = document;
    for (const [path, methods] of Object.entries(document.paths ?? {})) {
      for (const [method, operation] of Object.entries(methods as Json)) {
        this.operations.set(`${method.toUpperCase()} ${path}`, operation as Json);
      }
    }
  }

  readonly follow = (ref: string): Json => {
    const found = ref
      .slice("#/".length)
      .split("/")
      .reduce<unknown>((part, name) => (part as Json | undefined)?.[name], this.#document);
    if (typeof found !== "object" || found === null) throw new Error(`${ref} leads nowhere`);
    return found as Json;
  };

  /** Returns a part, or the part that it refers to. */
  whole(part: unknown): Json {
    const json = (part ?? {}) as Json;
    return typeof json.$ref === "string" ? this.follow(json.$ref) : json;
  }

  security(operation: Json): unknown {
    return operation.security ?? this.#document.security ?? [];
  }
}

function operationBreaks(name: string, was: Json, is: Json, sides: Sides): string[] {
  const same = ["operationId", "x-required-scopes"].filter(
    (part) => !isDeepStrictEqual(was[part], is[part]),
  );
  const { before, after } = sides;
  const security = isDeepStrictEqual(before.security(was), after.security(is));
  return [
    ...same.map((part) => `${name}: ${part} differs`),
    ...(security ? [] : [`${name}: who may call it differs`]),
    ...parameterBreaks(name, was, is, sides),
    ...bodyBreaks(name, was, is, sides),
    ...answerBreaks(name, was, is, sides),
  ];
}

/** Every request that was accepted before must still be accepted. */
function taken({ before, after }: Sides): Comparing {
  return { narrow: before.follow, wide: after.follow, answers: false, isOpen: () => false };
}

/** Every response must have been possible before, except for new error codes and fields. */
function answered({ before, after }: Sides): Comparing {
  const isOpen = (place: string) => place.endsWith(".error.code");
  return { narrow: after.follow, wide: before.follow, answers: true, isOpen };
}

function parameterBreaks(name: string, was: Json, is: Json, sides: Sides): string[] {
  const [earlier, later] = [parametersOf(was), parametersOf(is)];
  const gone = [...earlier].flatMap(([key, parameter]) => {
    const now = later.get(key);
    const place = `${name} ${key}`;
    if (!now) return [`${place}: is gone`];
    return [
      ...(now.required === true && parameter.required !== true ? [`${place}: is required`] : []),
      ...whyNotWithin(parameter.schema as Json, now.schema as Json, place, taken(sides)),
    ];
  });
  const added = [...later]
    .filter(([key, { required }]) => required === true && !earlier.has(key))
    .map(([key]) => `${name} ${key}: is new and required`);
  return [...gone, ...added];
}

function parametersOf({ parameters }: Json): Map<string, Json> {
  const list = (parameters ?? []) as readonly Json[];
  return new Map(list.map((one) => [`${one.in} ${one.name}`, one]));
}

function bodyBreaks(name: string, was: Json, is: Json, sides: Sides): string[] {
  const [before, after] = [was.requestBody as Json | undefined, is.requestBody as Json | undefined];
  const place = `${name} body`;
  if (!before) return after?.required === true ? [`${place}: is new and required`] : [];
  // A removed description of an optional body breaks no caller.
  if (!after) return before.required === true ? [`${place}: is gone`] : [];
  return [
    ...(after.required === true && before.required !== true ? [`${place}: is required`] : []),
    ...contentBreaks(before, after, place, (earlier, later, at) =>
      whyNotWithin(earlier, later, at, taken(sides)),
    ),
  ];
}

function answerBreaks(name: string, was: Json, is: Json, sides: Sides): string[] {
  const [earlier, later] = [was.responses as Json, is.responses as Json];
  const added = Object.keys(later)
    .filter((status) => isSuccess(status) && !(status in earlier))
    .map((status) => `${name} ${status}: is a new success`);
  const kept = Object.entries(earlier).flatMap(([status, answer]) => {
    const place = `${name} ${status}`;
    // The removal of an error breaks no caller.
    if (!(status in later)) return isSuccess(status) ? [`${place}: is gone`] : [];
    const [before, after] = [sides.before.whole(answer), sides.after.whole(later[status])];
    return [
      ...headerBreaks(place, before, after, sides),
      ...contentBreaks(before, after, place, (earlier, later, at) =>
        whyNotWithin(later, earlier, at, answered(sides)),
      ),
    ];
  });
  return [...added, ...kept];
}

function isSuccess(status: string): boolean {
  return status.startsWith("2");
}

function headerBreaks(place: string, before: Json, after: Json, sides: Sides): string[] {
  const later = (after.headers ?? {}) as Json;
  return Object.entries((before.headers ?? {}) as Json).flatMap(([header, described]) => {
    const at = `${place} ${header}`;
    if (!(header in later)) return [`${at}: is gone`];
    const [was, is] = [sides.before.whole(described), sides.after.whole(later[header])];
    return [
      ...(was.required === true && is.required !== true ? [`${at}: is optional`] : []),
      ...whyNotWithin(is.schema as Json, was.schema as Json, at, answered(sides)),
    ];
  });
}

function contentBreaks(
  before: Json,
  after: Json,
  place: string,
  compare: (earlier: Json, later: Json, place: string) => string[],
): string[] {
  const later = (after.content ?? {}) as Record<string, Json>;
  return Object.entries((before.content ?? {}) as Record<string, Json>).flatMap(([type, body]) => {
    const now = later[type];
    if (!now) return [`${place}: ${type} is gone`];
    return compare(body.schema as Json, now.schema as Json, place);
  });
}
