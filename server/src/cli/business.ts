import {
  type BusinessChange,
  type BusinessOverview,
  setBusiness,
  showBusiness,
} from "../owner/business.js";
import type { Business } from "../rules/records.js";
import { wholeNumberFor, wordFor } from "./arguments.js";
import { type Output, table, tableOr } from "./output.js";
import { runOwner } from "./owner-command.js";
import { queueHeadings, queueRow, queueView } from "./queue.js";
import type { QueueApiCommand } from "./queue-api-command.js";
import { UsageError } from "./usage-error.js";

interface SetOptions {
  readonly access?: "on" | "off";
  readonly dailyLimit?: number | "none";
  readonly sandbox?: "on" | "off";
}

const shape = "{ id, slug, name, category, timezone, apiAccess, dailyTokenLimit, sandbox }";

/** `queue-api business list | show | set` */
export function addBusinessCommands(program: QueueApiCommand): void {
  const business = program.command("business").description("list, show and set businesses");

  business
    .command("list")
    .description("list all businesses")
    .manual({ examples: ["queue-api business list"], json: `[${shape}]` })
    .action((_options, command) =>
      runOwner(command, async ({ store }) => list(await store.businesses.list())),
    );

  business
    .command("show")
    .description("show a business, its services and queues, and how many keys are active")
    .argument("<slug>", "slug of the business")
    .manual({
      examples: ["queue-api business show sunrise"],
      json: `${shape.slice(0, -2)},
  services: [{ id, name, price, baseTimeMinutes, active }],
  queues: [{ id, name, tokenSeries, isActive, isTokenCreationPaused }],
  activeKeys }`,
    })
    .action((slug: string, _options, command) =>
      runOwner(command, async ({ store, now }) => overview(await showBusiness(store, slug, now))),
    );

  business
    .command("set")
    .description(
      "change API access, the daily limit of tokens or the sandbox flag; the change applies from the next request on",
    )
    .argument("<slug>", "slug of the business")
    .option("--access <on|off>", "whether the API may be used", wordFor("--access", ["on", "off"]))
    .option("--daily-limit <n|none>", "tokens that may be created on a business day", dailyLimit)
    .option(
      "--sandbox <on|off>",
      "whether it is a sandbox, which has no real customers: simulate and serve --demo may add customers and serve everyone in it",
      wordFor("--sandbox", ["on", "off"]),
    )
    .manual({
      examples: [
        "queue-api business set sunrise --access off",
        "queue-api business set sunrise --daily-limit 200",
        "queue-api business set rehearsal --sandbox on",
      ],
      json: shape,
    })
    .action((slug: string, options: SetOptions, command) => {
      const change = changeOf(options);
      return runOwner(command, async ({ store }) => one(await setBusiness(store, slug, change)));
    });
}

function dailyLimit(text: string): number | "none" {
  return text === "none" ? text : wholeNumberFor("--daily-limit", 0, 1_000_000_000)(text);
}

function changeOf({ access, dailyLimit, sandbox }: SetOptions): BusinessChange {
  if (access === undefined && dailyLimit === undefined && sandbox === undefined) {
    throw new UsageError(
      "name at least one of --access on|off, --daily-limit N|none and --sandbox on|off",
    );
  }
  return {
    ...(access !== undefined && { apiAccess: access === "on" }),
    ...(dailyLimit !== undefined && { dailyTokenLimit: dailyLimit === "none" ? null : dailyLimit }),
    ...(sandbox !== undefined && { sandbox: sandbox === "on" }),
  };
}

const headings = ["SLUG", "NAME", "CATEGORY", "TIME ZONE", "ACCESS", "DAILY LIMIT", "SANDBOX"];

const row = (business: Business) => [
  business.slug,
  business.name,
  business.category,
  business.timezone ?? "UTC",
  business.apiAccess ? "on" : "off",
  business.dailyTokenLimit ?? "none",
  business.sandbox ? "yes" : "no",
];

/** A business without the fields that only its dashboard uses. */
function shown({ longWaitMinutes: _, displayHash: __, ...business }: Business) {
  return business;
}

function list(businesses: readonly Business[]): Output {
  const text = tableOr("No businesses yet.", headings, businesses.map(row));
  return { json: businesses.map(shown), text };
}

function one(business: Business): Output {
  return { json: shown(business), text: table(headings, [row(business)]) };
}

function overview({ business, services, queues, activeKeys }: BusinessOverview): Output {
  const json = {
    ...shown(business),
    services: services.map(({ businessId: _, ...service }) => service),
    queues: queues.map(queueView),
    activeKeys: activeKeys.length,
  };
  const text = [
    table(headings, [row(business)]),
    tableOr(
      "No services.",
      ["SERVICE", "NAME", "PRICE", "MINUTES", "ACTIVE"],
      services.map((service) => [
        service.id,
        service.name,
        service.price,
        service.baseTimeMinutes,
        service.active ? "yes" : "no",
      ]),
    ),
    tableOr("No queues.", queueHeadings, queues.map(queueRow)),
    `Active keys: ${activeKeys.length}`,
  ].join("\n\n");
  return { json, text };
}
