import { createRequire } from "node:module";

export { default as spectral } from "@stoplight/spectral-core";
export { oas } from "@stoplight/spectral-rulesets";
export { astToString, default as openapiTypeScript } from "openapi-typescript";

const require = createRequire(import.meta.url);
export const redocly = require.resolve("@redocly/cli/bin/cli.js");
export const tsc = require.resolve("typescript/bin/tsc");
