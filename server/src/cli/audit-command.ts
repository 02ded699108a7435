import { auditLog } from "../owner/audit.js";
import { sumOf } from "../rules/audit.js";
import type { AuditRow } from "../rules/records.js";
import { timestamp } from "../rules/timestamp.js";
import { wholeNumberFor } from "./arguments.js";
import type { QueueApiCommand } from "./command.js";
import { printer } from "./output.js";

/** `queue-api audit` */
export function addAuditCommand(program: QueueApiCommand): void {
  program
    .command("audit")
    .description(
      "show the latest authenticated requests and changes in the dashboard, newest first; refused requests beyond a key's limit are added up in one row",
    )
    .requiredOption("--business <slug>", "slug of the business")
    .option("--limit <n>", "number of rows", wholeNumberFor("--limit", 1, 100_000), 50)
    .examples("queue-api audit --business sunrise --limit 20")
    .lists(rows, ({ store }, { business, limit }: { business: string; limit: number }) =>
      auditLog(store, business, limit),
    );
}

const rows = printer<AuditRow>({
  shape: "{ at, keyId, account, method, path, status, ip, requestId, count, lastAt }",
  json: (row) => {
    const { at, keyId, account, method, path, status, ip, requestId } = row;
    const { count, lastAt } = sumOf(row);
    const times = { at: timestamp(at), count, lastAt: timestamp(lastAt) };
    return { ...times, keyId, account, method, path, status, ip, requestId };
  },
  columns: {
    AT: ({ at }) => timestamp(at),
    UNTIL: ({ sum }) => sum && timestamp(sum.lastAt),
    REQUESTS: (row) => sumOf(row).count,
    METHOD: ({ method }) => method,
    PATH: ({ path }) => path,
    STATUS: ({ status }) => status,
    ADDRESS: ({ ip }) => ip,
    "KEY OR ACCOUNT": ({ account, keyId }) => account ?? keyId,
    REQUEST: ({ requestId }) => requestId,
  },
  none: "No requests yet.",
});
