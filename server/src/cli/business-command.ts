import { findBusiness, setBusiness } from "../owner/business.js";
import { isActive } from "../rules/key.js";
import type { Business, Service } from "../rules/records.js";
import { onOffFor, requireOption, wholeNumberFor } from "./arguments.js";
import type { CommandContext, QueueApiCommand } from "./command.js";
import { type Output, printer } from "./output.js";
import { queuePrinter } from "./queue-command.js";

interface SetOptions {
  readonly access?: boolean;
  readonly dailyLimit?: number | "none";
  readonly sandbox?: boolean;
}

/** `queue-api business list | show | set` */
export function addBusinessCommands(program: QueueApiCommand): void {
  const business = program.command("business").description("list, show and set businesses");

  business
    .command("list")
    .description("list all businesses")
    .examples("queue-api business list")
    .lists(businesses, ({ store }) => store.businesses.list());

  business
    .command("show")
    .description("show a business, its services and queues, and how many keys are active")
    .argument("<slug>", "slug of the business")
    .examples("queue-api business show sunrise")
    .printsJson(`${businesses.shape.slice(0, -2)},
  services: [${services.shape}],
  queues: [${queuePrinter.shape}],
  activeKeys }`)
    .does(overview);

  business
    .command("set")
    .description(
      "change API access, the daily limit of tokens or the sandbox flag; the change applies from the next request on",
    )
    .argument("<slug>", "slug of the business")
    .option("--access <on|off>", "whether the API may be used", onOffFor("--access"))
    .option("--daily-limit <n|none>", "tokens that may be created on a business day", (text) =>
      text === "none" ? text : wholeNumberFor("--daily-limit", 0, 1_000_000_000)(text),
    )
    .option(
      "--sandbox <on|off>",
      "whether it is a sandbox, which has no real customers: simulate and serve --demo may add customers and serve everyone in it",
      onOffFor("--sandbox"),
    )
    .examples(
      "queue-api business set sunrise --access off",
      "queue-api business set sunrise --daily-limit 200",
      "queue-api business set rehearsal --sandbox on",
    )
    .shows(businesses, async ({ store }, slug: string, options: SetOptions) => {
      requireOption(options, "--access on|off, --daily-limit N|none and --sandbox on|off");
      const { access, dailyLimit, sandbox } = options;
      const dailyTokenLimit = dailyLimit === "none" ? null : dailyLimit;
      return setBusiness(store, slug, {
        ...(access !== undefined && { apiAccess: access }),
        ...(dailyTokenLimit !== undefined && { dailyTokenLimit }),
        ...(sandbox !== undefined && { sandbox }),
      });
    });
}

async function overview({ store, now }: CommandContext, slug: string): Promise<Output> {
  const business = await findBusiness(store, slug);
  const own = businesses.one(business, now);
  const offered = services.list(await store.services.list(business.id), now);
  const queues = queuePrinter.list(await store.queues.list(business.id), now);
  const keys = await store.keys.list(business.id);
  const activeKeys = keys.filter((key) => isActive(key, now)).length;
  const parts = { services: offered.json, queues: queues.json, activeKeys };
  return {
    json: { ...(own.json as object), ...parts },
    text: [own.text, offered.text, queues.text, `Active keys: ${activeKeys}`].join("\n\n"),
  };
}

const businesses = printer<Business>({
  shape: "{ id, slug, name, category, timezone, apiAccess, dailyTokenLimit, sandbox }",
  // Without the fields that only its dashboard uses.
  json: ({ longWaitMinutes, displayHash, displayQuery, ...business }) => business,
  columns: {
    SLUG: ({ slug }) => slug,
    NAME: ({ name }) => name,
    CATEGORY: ({ category }) => category,
    "TIME ZONE": ({ timezone }) => timezone ?? "UTC",
    ACCESS: ({ apiAccess }) => (apiAccess ? "on" : "off"),
    "DAILY LIMIT": ({ dailyTokenLimit }) => dailyTokenLimit ?? "none",
    SANDBOX: ({ sandbox }) => (sandbox ? "yes" : "no"),
  },
  none: "No businesses yet.",
});

const services = printer<Service>({
  shape: "{ id, name, price, baseTimeMinutes, active }",
  json: ({ businessId, revision, ...service }) => service,
  columns: {
    SERVICE: ({ id }) => id,
    NAME: ({ name }) => name,
    PRICE: ({ price }) => price,
    MINUTES: ({ baseTimeMinutes }) => baseTimeMinutes,
    ACTIVE: ({ active }) => (active ? "yes" : "no"),
  },
  none: "No services.",
});
