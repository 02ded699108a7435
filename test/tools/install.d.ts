export class ToolsMissingError extends Error {}
export function installTools(name: ToolSet): string;
// biome-ignore lint/suspicious/noExplicitAny: the tools are not there when this is compiled
export function importTool(name: ToolSet, file: string): Promise<any>;

type ToolSet = "openapi" | "types";
