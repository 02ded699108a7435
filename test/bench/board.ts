import { setTimeout as pause } from "node:timers/promises";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { browserPath, whyNoBrowser } from "../support/installed-browser.js";
import { authorization } from "./api.js";
import { clinic, slug, waiting } from "./clinic.js";
import type { Row } from "./compare.js";
import { signedInOwner } from "./owner.js";
import { limited, milliseconds } from "./report.js";
import type { Service, Stage } from "./stage.js";

/*
 * The board of a day with 2,000 people waiting, in a real Chromium: how long it takes to open, and how
 * smooth it stays while 10 tokens a second arrive through the API.
 */

const people = 2_000;
const tokens = 100;
const everyMs = 100;

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
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
`;

/** Milliseconds from the address to the first thing to be seen, and to a board that is live. */
async function opened(context: BrowserContext, address: string, rounds: number) {
  const times = { painted: [] as number[], live: [] as number[] };
  let page: Page | null = null;
  for (let opening = 0; opening <= rounds; opening++) {
    await page?.close();
    page = await context.newPage();
    const began = performance.now();
    await page.goto(address, { waitUntil: "commit" });
    await page.locator("#live", { hasText: "Live" }).waitFor();
    const took = performance.now() - began;
    if (opening === 0) continue; // the first one warms up
    times.live.push(took);
    const paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
    const first = await page.waitForFunction(paint); // the board may be live before its first paint
    times.painted.push(Number(await first.jsonValue()));
  }
  if (!page) throw new Error("no page was opened");
  return { page, ...times };
}

/** Lets tokens arrive, and looks at the frames and at how soon each is on the board, in milliseconds. */
async function arrivals(page: Page, service: Service) {
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
  const sorted = frames.slice(1).toSorted((a, b) => a - b);
  return {
    frameP99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Number.NaN,
    slowest: Math.max(...delays),
  };
}

async function browserOf(stage: Stage): Promise<BrowserContext> {
  const missing = whyNoBrowser("chromium");
  if (missing !== null) throw new Error(`the board cannot be measured: ${missing}`);
  const browser = await chromium.launch({
    executablePath: browserPath("chromium") ?? "",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  stage.atEnd(() => browser.close());
  // Playwright waits for an expression by eval, which the pages refuse.
  return browser.newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true });
}

function boardRow(name: string, view: string, query: (queueId: string) => string): Row {
  return {
    name,
    async measure(stage, { rounds }) {
      const seed = clinic({ front: waiting(people) });
      const service = await stage.service(seed, { env: { LOG_LEVEL: "warn" } });
      const { cookies } = await signedInOwner(service, slug);
      const context = await browserOf(stage);
      await context.addCookies(
        cookies.map((cookie) => {
          const [name = "", value = ""] = cookie.split("=");
          return { name, value, url: service.origin };
        }),
      );
      const address = `${service.origin}/dashboard${query(service.queues.front ?? "")}`;
      const { page, painted, live } = await opened(context, address, rounds);
      const { frameP99, slowest } = await arrivals(page, service);
      return [
        limited(`${view}: first paint`, painted, 1_000, milliseconds),
        limited(`${view}: live`, live, 1_000, milliseconds),
        limited(`${view}: 99 of 100 frames`, [frameP99], 50, milliseconds),
        limited(`${view}: a token is shown after, at most`, [slowest], 1_000, milliseconds),
      ];
    },
  };
}

export const boardRows: readonly Row[] = [
  boardRow("board", "the first of the line", () => ""),
  boardRow("whole-board", "the whole line", (queueId) => `?all=${queueId}`),
];
