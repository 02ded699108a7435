import { auditLog } from "../owner/audit.js";
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
    .description("show the newest authenticated requests, newest first")
    .requiredOption("--business <slug>", "slug of the business")
    .option("--limit <n>", "how many", wholeNumberFor("--limit", 1, 100_000), 50)
    .manual({
      examples: ["queue-api audit --business sunrise --limit 20"],
      json: "[{ at, keyId, method, path, status, ip, requestId }]",
    })
    .action(({ business, limit }: AuditOptions, command) =>
      runOwner(command, async ({ store }) => list(await auditLog(store, business, limit))),
    );
}

function list(rows: readonly AuditRow[]): Output {
  return {
    json: rows.map(({ at, keyId, method, path, status, ip, requestId }) => ({
      at: timestamp(at),
      keyId,
      method,
      path,
      status,
      ip,
      requestId,
    })),
    text: tableOr(
      "No requests yet.",
      ["AT", "METHOD", "PATH", "STATUS", "ADDRESS", "KEY", "REQUEST"],
      rows.map((row) => [
        timestamp(row.at),
        row.method,
        row.path,
        row.status,
        row.ip,
        row.keyId,
        row.requestId,
      ]),
    ),
  };
}
