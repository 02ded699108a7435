import { auditLog } from "../owner/audit.js";
import { sumOf } from "../rules/audit.js";
import type { AuditRow } from "../rules/records.js";
import { wholeNumberFor } from "./arguments.js";
import { type Output, tableOr, timestamp } from "./output.js";
import { runOwner } from "./owner-command.js";
import type { QueueApiCommand } from "./queue-api-command.js";

interface AuditOptions {
  readonly business: string;
  readonly limit: number;
}

/** `queue-api audit` */
export function addAuditCommand(program: QueueApiCommand): void {
  program
    .command("audit")
    .description(
      "show the latest authenticated requests and changes in the dashboard, newest first; refused requests beyond a key's limit are added up in one row",
    )
    .requiredOption("--business <slug>", "slug of the business")
    .option("--limit <n>", "number of rows", wholeNumberFor("--limit", 1, 100_000), 50)
    .manual({
      examples: ["queue-api audit --business sunrise --limit 20"],
      json: "[{ at, keyId, account, method, path, status, ip, requestId, count, lastAt }]",
    })
    .action(({ business, limit }: AuditOptions, command) =>
      runOwner(command, async ({ store }) => list(await auditLog(store, business, limit))),
    );
}

function list(rows: readonly AuditRow[]): Output {
  return {
    json: rows.map((row) => {
      const { at, keyId, account, method, path, status, ip, requestId } = row;
      const { count, lastAt } = sumOf(row);
      const times = { at: timestamp(at), count, lastAt: timestamp(lastAt) };
      return { ...times, keyId, account, method, path, status, ip, requestId };
    }),
    text: tableOr(
      "No requests yet.",
      [
        "AT",
        "UNTIL",
        "REQUESTS",
        "METHOD",
        "PATH",
        "STATUS",
        "ADDRESS",
        "KEY OR ACCOUNT",
        "REQUEST",
      ],
      rows.map((row) => [
        timestamp(row.at),
        row.sum && timestamp(row.sum.lastAt),
        sumOf(row).count,
        row.method,
        row.path,
        row.status,
        row.ip,
        row.account ?? row.keyId,
        row.requestId,
      ]),
    ),
  };
}
