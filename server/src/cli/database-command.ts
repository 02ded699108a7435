import { type CopyReport, copyStore } from "../owner/copy-store.js";
import { isSameDatabase } from "../store/open.js";
import { type GlobalOptions, type QueueApiCommand, withStore } from "./command.js";
import { UsageError } from "./command-errors.js";
import { type Output, print, progressLine, table } from "./output.js";

/** `queue-api database prepare | copy` */
export function addDatabaseCommands(program: QueueApiCommand): void {
  const database = program.command("database").description("prepare and copy databases");

  database
    .command("prepare")
    .description("create what is missing in the database, such as indexes, and verify the rest")
    .examples("queue-api database prepare --database mongodb://127.0.0.1:27017/queue")
    .printsJson("{ prepared: true }")
    .action((_options, command: QueueApiCommand) => {
      const ready = { json: { prepared: true }, text: "The database is ready." };
      return command.withDatabase(async () => ready, { prepare: "always" });
    });

  database
    .command("copy")
    .description(
      "copy all data into another database and verify it; stop all programs that write first",
    )
    .argument("<from>", "URL of the database to copy, such as file:./.data/queue-api.db")
    .argument("<to>", "URL of the database to copy to, such as mongodb://127.0.0.1:27017/queue")
    .examples("queue-api database copy file:./.data/queue-api.db mongodb://127.0.0.1:27017/queue")
    .printsJson(`{ copied: { businesses, queues, services, keys, accounts, entries, appointments, audit } }
To restart a copy that was stopped, run the same command again.`)
    .action(async (from: string, to: string, _options, command: QueueApiCommand) => {
      if (isSameDatabase(from, to)) {
        throw new UsageError("<from> and <to> name the same database: copy into another one");
      }
      const progress = progressLine();
      const report = await withStore(from, { create: false }, (source) =>
        withStore(to, { prepare: "always", forCopy: true }, (target) =>
          copyStore(source.store, target.store, {
            onProgress: (phase, kind, records) => progress.update(`${phase} ${kind}: ${records}`),
          }),
        ),
      ).finally(progress.clear);
      print(copied(report), command.optsWithGlobals<GlobalOptions>().json);
    });
}

function copied(report: CopyReport): Output {
  const rows = Object.entries(report);
  return {
    json: { copied: report },
    text: `${table(["KIND", "RECORDS"], rows)}\n\nCopied and verified.`,
  };
}
