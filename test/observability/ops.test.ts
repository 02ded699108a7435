import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { completed } from "../support/run.js";
import { testService } from "../support/service.js";
import { metricsToken, scrape } from "./support/scrape.js";

const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const text = (path: string) => readFile(repository(path), "utf8");

const service = await testService({ settings: { metricsToken } });

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

const dashboard = JSON.parse(await text("ops/grafana/queue-api.json")) as Dashboard;
const alerts = (parse(await text("ops/prometheus/alerts.yml")) as Rules).groups.flatMap(
  ({ rules }) => rules,
);
const documentation = await text("docs/operations.md");

/** The metrics of a scrape, and the names of their series in Prometheus. */
const metrics = [...(await scrape(service)).text.matchAll(/^# TYPE (\S+) (\w+)$/gm)];
const series = metrics.flatMap(([, name = "", type]) =>
  type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name],
);

/** The metrics in an expression, except `up`, which Prometheus adds. */
function metricsIn(expression: string): string[] {
  return expression.match(/\b(queue_api|nodejs|process)_\w+/g) ?? [];
}

const expressions = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: `panel ${title}`, expr })),
  ),
  ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
];

test("every metric of the dashboard and the alerts is in the scrape", () => {
  expect(expressions.length).toBeGreaterThan(30);
  for (const { where, expr } of expressions) {
    const names = metricsIn(expr);
    expect(names.length > 0 || expr.includes("up{"), where).toBe(true);
    expect(series, where).toEqual(expect.arrayContaining(names));
  }
});

test("the documentation explains exactly the existing alerts and metrics", () => {
  const explained = (name: RegExp) =>
    [...documentation.matchAll(/^\| `(\w+)` \|/gm)].flatMap(([, found = ""]) =>
      name.test(found) ? [found] : [],
    );
  expect(explained(/^QueueApi/)).toEqual(alerts.map(({ alert }) => alert));
  const ours = metrics.flatMap(([, name = ""]) => (name.startsWith("queue_api_") ? [name] : []));
  expect(explained(/^queue_api_/).sort()).toEqual(ours.sort());
});

test("Prometheus accepts the rules, and each alert fires only in its case", async ({ skip }) => {
  const promtool = (...args: string[]) =>
    completed("promtool", args, { cwd: repository("ops/prometheus") });
  const version = await promtool("--version").catch(() => null);
  if (!version) return skip("promtool is not installed (in Debian it comes with prometheus)");
  await promtool("check", "config", "--syntax-only", "prometheus.yml");
  await promtool("check", "rules", "alerts.yml");
  await promtool("test", "rules", "alerts.test.yml");
  const tests = await text("ops/prometheus/alerts.test.yml");
  for (const { alert } of alerts) expect(tests).toContain(`alertname="${alert}"`);
});
