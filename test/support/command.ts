import { fileURLToPath } from "node:url";

export const commandPath = fileURLToPath(new URL("../../server/bin/queue-api.js", import.meta.url));

/** Its environment, without the settings of the machine. Even vitest sets a `BASE_URL`. */
export const commandEnvironment = { PATH: process.env.PATH };
