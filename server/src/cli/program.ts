import { readFileSync } from "node:fs";
import { readConfig } from "../config.js";
import { addAppointmentCommands } from "./appointment.js";
import { nonEmptyFor } from "./arguments.js";
import { addAuditCommand } from "./audit.js";
import { addBusinessCommands } from "./business.js";
import { QueueApiCommand } from "./command.js";
import { addDatabaseCommands } from "./database.js";
import { addEntryCommands } from "./entry.js";
import { addKeyCommands } from "./key.js";
import { addOpenApiCommand } from "./openapi.js";
import { addOwnerCommands } from "./owner.js";
import { addQueueCommands } from "./queue.js";
import { addSeedCommand } from "./seed.js";
import { addServeCommand } from "./serve.js";
import { addSimulateCommand } from "./simulate.js";

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
      `file:PATH, mongodb://HOST/NAME or memory: (default: ${readConfig({}).databaseUrl}, env: DATABASE_URL)`,
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
  addOwnerCommands(program);
  addQueueCommands(program);
  addEntryCommands(program);
  addAppointmentCommands(program);
  addAuditCommand(program);
  addDatabaseCommands(program);
  addOpenApiCommand(program);
  return program;
}
