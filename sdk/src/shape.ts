import type { Shape } from "./operation.js";

/**
 * The first mismatch between a value and a shape, as `.customer.name must be string|null`, or null if the
 * value matches. Never includes the value.
 */
export function misfit(value: unknown, shape: Shape): string | null {
  if (typeof shape === "string") return shape.includes(kindOf(value)) ? null : ` must be ${shape}`;
  if (isList(shape)) return misfitOfList(value, shape[0]);
  if (typeof value !== "object" || value === null) return " must be an object";
  for (const field in shape) {
    const found = misfit((value as Record<string, unknown>)[field], shape[field] as Shape);
    if (found !== null) return `.${field}${found}`;
  }
  return null;
}

function misfitOfList(value: unknown, shape: Shape): string | null {
  if (!Array.isArray(value)) return " must be a list";
  for (const [index, item] of value.entries()) {
    const found = misfit(item, shape);
    if (found !== null) return `[${index}]${found}`;
  }
  return null;
}

/** The kind of a plain value, as shapes name it. */
function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
