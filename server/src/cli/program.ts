import { readFileSync } from "node:fs";
import { readConfig } from "../config.js";
import { addAccountCommands } from "./account-command.js";
import { addAppointmentCommands } from "./appointment-command.js";
import { nonEmptyFor } from "./arguments.js";
import { addAuditCommand } from "./audit-command.js";
import { addBusinessCommands } from "./business-command.js";
import { QueueApiCommand } from "./command.js";
import { addDatabaseCommands } from "./database-command.js";
import { addEntryCommands } from "./entry-command.js";
import { addKeyCommands } from "./key-command.js";
import { addOpenApiCommand } from "./openapi-command.js";
import { addQueueCommands } from "./queue-command.js";
import { addSeedCommand } from "./seed-command.js";
import { addServeCommand } from "./serve-command.js";
import { addSimulateCommand } from "./simulate-command.js";

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** The command line: one file for each noun. */
export function createProgram(): QueueApiCommand {
  const program = new QueueApiCommand("queue-api")
    .description("The Queue API: runs the service and manages its businesses.")
    .version(manifest.version)
    .option(
      "--database <url>",
      `file:PATH, mongodb://HOST/NAME, or for serve memory: (default: ${readConfig({}).databaseUrl}, env: DATABASE_URL)`,
      nonEmptyFor("--database"),
    )
    .option(
      "--json",
      "print only JSON on standard output: one document, or for simulate one on each line",
    )
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .examples(
      "queue-api serve --demo",
      "queue-api seed clinic.json",
      "queue-api key create --business sunrise --name Kiosk --scope queue:read queue:write",
    );
  addServeCommand(program);
  addSimulateCommand(program);
  addSeedCommand(program);
  addBusinessCommands(program);
  addKeyCommands(program);
  addAccountCommands(program);
  addQueueCommands(program);
  addEntryCommands(program);
  addAppointmentCommands(program);
  addAuditCommand(program);
  addDatabaseCommands(program);
  addOpenApiCommand(program);
  return program;
}
