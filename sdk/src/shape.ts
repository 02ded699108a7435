import type { Shape } from "./operation.js";

/**
 * The first mismatch between a value and a shape, as `.customer.name must be string|null`, or null if the
 * value matches. Never includes the value. `older`: whether fields may be missing, because the value may
 * have been stored before they were added.
 */
export function misfit(value: unknown, shape: Shape, older = false): string | null {
  return fits(value, planOf(shape)) ? null : firstMisfit(value, shape, older);
}

/** A shape, prepared for {@link fits}. */
interface Plan {
  /** The allowed kinds of a plain value, as a sum of the numbers of {@link kindOf}; 0 for an object or a list. */
  readonly kinds: number;
  /** The plan of the items of a list. */
  readonly items: Plan | null;
  /** The fields of an object and their plans, in the order in which the service sends them. */
  readonly names: readonly string[];
  readonly fields: readonly Plan[];
}

/** The plans of objects and lists: the shapes of operations last as long as the program. */
const plans = new WeakMap<object, Plan>();

function planOf(shape: Shape): Plan {
  if (typeof shape === "string") return scalars[shape];
  const known = plans.get(shape);
  if (known) return known;
  const plan = isList(shape)
    ? { kinds: 0, items: planOf(shape[0]), names: [], fields: [] }
    : {
        kinds: 0,
        items: null,
        names: Object.keys(shape),
        fields: Object.values(shape).map(planOf),
      };
  plans.set(shape, plan);
  return plan;
}

function scalar(kinds: number): Plan {
  return { kinds, items: null, names: [], fields: [] };
}

const scalars = {
  string: scalar(1),
  number: scalar(2),
  boolean: scalar(4),
  "string|null": scalar(1 + 8),
  "number|null": scalar(2 + 8),
  "boolean|null": scalar(4 + 8),
} as const satisfies Record<Extract<Shape, string>, Plan>;

/** The kind of a plain value as a number; 0 for all others. */
function kindOf(value: unknown): number {
  if (typeof value === "string") return 1;
  if (value === null) return 8;
  if (typeof value === "number") return 2;
  return typeof value === "boolean" ? 4 : 0;
}

/**
 * Whether a value has all fields in the order of the shape, and so matches. Reading the fields in their order
 * is several times faster than looking up each one. False decides nothing.
 */
function fits(value: unknown, { kinds, items, names, fields }: Plan): boolean {
  if (kinds !== 0) return (kinds & kindOf(value)) !== 0;
  if (items) {
    if (!Array.isArray(value)) return false;
    for (let index = 0; index < value.length; index++) {
      if (!fits(value[index], items)) return false;
    }
    return true;
  }
  if (typeof value !== "object" || value === null) return false;
  let next = 0;
  for (const name in value) {
    if (name !== names[next]) continue;
    if (!fits((value as Record<string, unknown>)[name], fields[next] as Plan)) return false;
    next += 1;
  }
  return next === names.length;
}

/** The first mismatch, for the message; null if the value matches, in any order of its fields. */
function firstMisfit(value: unknown, shape: Shape, older: boolean): string | null {
  if (older && value === undefined) return null;
  if (typeof shape === "string") {
    return fits(value, scalars[shape]) ? null : ` must be ${shape}`;
  }
  if (isList(shape)) return misfitOfList(value, shape[0], older);
  if (typeof value !== "object" || value === null) return " must be an object";
  for (const field in shape) {
    const part = (value as Record<string, unknown>)[field];
    const found = firstMisfit(part, shape[field] as Shape, older);
    if (found !== null) return `.${field}${found}`;
  }
  return null;
}

function misfitOfList(value: unknown, shape: Shape, older: boolean): string | null {
  if (!Array.isArray(value)) return " must be a list";
  for (const [index, item] of value.entries()) {
    const found = firstMisfit(item, shape, older);
    if (found !== null) return `[${index}]${found}`;
  }
  return null;
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
