export function installTools(name: "openapi" | "types"): string;
