import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { addOwner, openStore, systemClock } from "@queue-api/server";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { browserPath, whyNoBrowser } from "../support/installed-browser.js";
import { authorization } from "./api.js";
import { clinic, slug, waiting } from "./clinic.js";
import { onStage, type Service } from "./stage.js";
import { machine, spread, table, verdict } from "./table.js";

/*
 * The board of a day with 2,000 people waiting, in a real Chromium: how long it takes to open, and how
 * smooth it stays while 10 tokens a second arrive through the API.
 */

const people = 2_000;
const openings = 7;
const tokens = 100;
const everyMs = 100;

interface Measured {
  readonly name: string;
  readonly milliseconds: readonly number[];
  /** What the measurement must stay below. */
  readonly goal: number;
  /** Which of the values must stay below it; `p99`: 99 of 100 of them. */
  readonly held: "median" | "p99" | "most";
}

/** Runs in the page: notes how long each frame took, and when each token came into view. */
const watching = `
  window.frames = [];
  window.seen = {};
  let last = performance.now();
  const frame = (now) => {
    frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new MutationObserver(() => {
    const count = document.querySelector(".counts dd").textContent;
    seen[count] ??= Date.now();
  }).observe(document.querySelector(".counts"), { childList: true });
`;

async function signedIn(context: BrowserContext, service: Service, url: string): Promise<void> {
  const store = await openStore(url, { clock: systemClock, random: randomBytes });
  const making = { now: Date.now(), random: randomBytes };
  const { token } = await addOwner(store, slug, "owner@bench.example", making);
  await store.close();
  const page = await context.newPage();
  await page.goto(`${service.origin}/dashboard/set-password?token=${token}`);
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByLabel("Password again").fill("correct horse battery");
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.waitForURL(/\/dashboard$/);
  await page.close();
}

/** From the address to a board that is live, and to the first thing to be seen. */
async function opened(context: BrowserContext, address: string, name: string) {
  const live: number[] = [];
  const painted: number[] = [];
  let page: Page | null = null;
  for (let opening = -1; opening < openings; opening++) {
    await page?.close();
    page = await context.newPage();
    const began = performance.now();
    await page.goto(address, { waitUntil: "commit" });
    await page.locator("#live", { hasText: "Live" }).waitFor();
    const took = performance.now() - began;
    const paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
    if (opening < 0) continue; // the first one warms up
    live.push(took);
    const first = await page.waitForFunction(paint); // the board may be live before its first paint
    painted.push(Number(await first.jsonValue()));
  }
  if (!page) throw new Error("no page was opened");
  const rows: Measured[] = [
    { name: `${name}: first paint`, milliseconds: painted, goal: 1_000, held: "median" },
    { name: `${name}: live`, milliseconds: live, goal: 1_000, held: "median" },
  ];
  return { page, rows };
}

/** Lets tokens arrive, and looks at the frames and at how soon each is on the board. */
async function arrivals(page: Page, service: Service, name: string): Promise<Measured[]> {
  const count = Number(await page.locator(".counts dd").first().textContent());
  await page.evaluate(watching);
  const created: number[] = [];
  const began = performance.now();
  for (let n = 0; n < tokens; n++) {
    await pause(Math.max(0, began + n * everyMs - performance.now()));
    const answer = await fetch(`${service.origin}/v1/queues/${service.queues.front}/entries`, {
      method: "POST",
      headers: { ...authorization(service), "content-type": "application/json" },
      body: JSON.stringify({ name: `Newcomer ${n}`, phone: "919800000001" }),
    });
    if (!answer.ok) throw new Error(`a token was answered ${answer.status}`);
    created.push(Date.now());
  }
  const all = new RegExp(`^${count + tokens}$`);
  await page.locator(".counts dd", { hasText: all }).waitFor();
  const { frames, seen } = (await page.evaluate("({ frames, seen })")) as {
    frames: number[];
    seen: Record<string, number>;
  };
  // Tokens that come together are shown together: the first count that holds a token shows it.
  const shownAt = (waiting: number) => {
    for (let many = waiting; many <= count + tokens; many++) {
      const at = seen[many];
      if (at !== undefined) return at;
    }
    throw new Error("a token was never shown");
  };
  const delays = created.map((at, n) => shownAt(count + n + 1) - at);
  return [
    { name: `${name}: a frame`, milliseconds: frames.slice(1), goal: 50, held: "p99" },
    { name: `${name}: a token is shown after`, milliseconds: delays, goal: 1_000, held: "most" },
  ];
}

const missing = whyNoBrowser("chromium");
if (missing !== null) {
  console.error(`The board cannot be measured: ${missing}.`);
  process.exit(1);
}

const measured = await onStage([], async (stage) => {
  const databaseUrl = `file:${join(stage.folder, "board.db")}`;
  const service = await stage.service(clinic({ front: waiting(people) }), {
    databaseUrl,
    env: { LOG_LEVEL: "warn" },
  });
  const browser = await chromium.launch({
    executablePath: browserPath("chromium") ?? "",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  stage.atEnd(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await signedIn(context, service, databaseUrl);
  const rows: Measured[] = [];
  for (const [name, query] of [
    ["the first of the line", ""],
    ["the whole line", `?all=${service.queues.front}`],
  ] as const) {
    const { page, rows: opening } = await opened(
      context,
      `${service.origin}/dashboard${query}`,
      name,
    );
    rows.push(...opening, ...(await arrivals(page, service, name)));
    await page.close();
  }
  return rows;
});

const rows = measured.map(({ name, milliseconds, goal, held }) => {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
  const values = { ...spread(milliseconds), p99 };
  const shown = [values.median, values.least, p99, values.most].map((value) => value.toFixed(0));
  return [name, ...shown, `${held} < ${goal}`, verdict(values[held] < goal)];
});
console.log(
  `A board with ${people} people waiting and ${1_000 / everyMs} tokens a second, in milliseconds; ${await machine()}\n`,
);
console.log(table(["", "median", "least", "p99", "most", "goal", ""], rows));
