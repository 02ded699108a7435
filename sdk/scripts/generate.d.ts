/** The files of sdk/src/generated, by name, as the contract would have them. */
export function generate(): Record<"types.ts" | "operations.ts", string>;
