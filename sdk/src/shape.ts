import type { Shape } from "./operation.js";

/**
 * The first mismatch between a value and a shape, as `.customer.name must be string|null`, or null if the
 * value matches. Never includes the value. `older`: whether fields may be missing, because the value may
 * have been stored before they were added.
 */
export function misfit(value: unknown, shape: Shape, older = false): string | null {
  if (older && value === undefined) return null;
  if (typeof shape === "string") {
    return shape.includes(kindOf(value)) ? null : ` must be ${shape}`;
  }
  if (isList(shape)) return misfitOfList(value, shape[0], older);
  if (typeof value !== "object" || value === null) return " must be an object";
  for (const field in shape) {
    const found = misfit((value as Record<string, unknown>)[field], shape[field] as Shape, older);
    if (found !== null) return `.${field}${found}`;
  }
  return null;
}

function misfitOfList(value: unknown, shape: Shape, older: boolean): string | null {
  if (!Array.isArray(value)) return " must be a list";
  for (const [index, item] of value.entries()) {
    const found = misfit(item, shape, older);
    if (found !== null) return `[${index}]${found}`;
  }
  return null;
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
