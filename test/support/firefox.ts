import { type Browser, firefox, type Page } from "playwright-core";

/** A message of WebDriver BiDi. */
interface Message {
  readonly id: number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** Playwright's own side of a browser or page, as far as Firefox needs it. */
interface Inside {
  readonly _browserSession: {
    send(method: string, params: unknown): Promise<unknown>;
    readonly connection: { rawSend(message: Message): void };
  };
  readonly _bidiPages: ReadonlyMap<string, { readonly _page: unknown }>;
}

interface EmulatedMedia {
  readonly colorScheme?: string;
  readonly media?: string;
  readonly reducedMotion?: string;
}

/**
 * Starts the Firefox of a distribution, over WebDriver BiDi. Of what the tests need, this Firefox has no commands
 * for the color scheme, reduced motion, print, and pages without scripts. Firefox's own code does it instead.
 * Reduced motion holds for all its pages. `host` is a name of this machine.
 */
export async function startFirefox(
  executablePath: string | undefined,
  host: string,
): Promise<Browser> {
  const browser = await firefox.launch({
    channel: "moz-firefox",
    ...(executablePath && { executablePath }),
    args: ["--remote-allow-system-access"],
    firefoxUserPrefs: {
      "network.dns.localDomains": host,
      "dom.ipc.processPrelaunch.enabled": false, // no processes for pages that may come
    },
  });
  const inside = insideOf(browser) as Inside;
  const session = inside._browserSession;
  const { contexts } = (await session.send("browsingContext.getTree", {
    "moz:scope": "chrome",
  })) as { contexts: readonly { readonly context: string }[] };
  const window = contexts[0]?.context;

  /** A call of a function in Firefox's own window. Its first argument is the browsing context of a page. */
  const call = (functionDeclaration: string, ...args: readonly string[]) => ({
    functionDeclaration: `(id, ...args) => {
      const { NavigableManager } = ChromeUtils.importESModule("chrome://remote/content/shared/NavigableManager.sys.mjs");
      const context = NavigableManager.getBrowsingContextById(id);
      if (context) (${functionDeclaration})(context, ...args);
    }`,
    arguments: args.map((value) => ({ type: "string", value })),
    target: { context: window },
    awaitPromise: false,
  });

  const { connection } = session;
  const send = connection.rawSend.bind(connection);
  connection.rawSend = (message) => {
    // A window takes three times as long as a tab. A second page gets its own window, or it would hide the first.
    const isFirst = browser.contexts().every((context) => context.pages().length === 0);
    if (message.method === "browsingContext.create" && isFirst) message.params.type = "tab";
    if (message.method !== "emulation.setMediaFeaturesOverride") return send(message);
    const [id = ""] = (message.params.contexts ?? []) as string[];
    const page = inside._bidiPages.get(id)?._page as { emulatedMedia(): EmulatedMedia } | undefined;
    const { colorScheme = "light", media = "", reducedMotion = "" } = page?.emulatedMedia() ?? {};
    const set = `(context, scheme, medium, motion) => {
      Services.prefs.setIntPref("ui.prefersReducedMotion", motion === "reduce" ? 1 : 0);
      context.prefersColorSchemeOverride = scheme;
      context.mediumOverride = medium === "print" ? "print" : "";
    }`;
    send({
      id: message.id,
      method: "script.callFunction",
      params: call(set, id, colorScheme, media, reducedMotion),
    });
  };

  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    await session.send("script.callFunction", {
      functionDeclaration: `(value) => Services.prefs.setIntPref("ui.prefersReducedMotion", value)`,
      arguments: [{ type: "number", value: options?.reducedMotion === "reduce" ? 1 : 0 }],
      target: { context: window },
      awaitPromise: false,
    });
    if (options?.javaScriptEnabled !== false) return context;
    const newPage = context.newPage.bind(context);
    context.newPage = async () => {
      const page = await newPage();
      const off = "(context) => { context.allowJavascript = false; }";
      await session.send("script.callFunction", call(off, idOf(inside, page)));
      return page;
    };
    return context;
  };
  return browser;
}

function idOf({ _bidiPages }: Inside, page: Page): string {
  const found = [..._bidiPages].find(([, { _page }]) => _page === insideOf(page));
  if (!found) throw new Error("Firefox has no such page");
  return found[0];
}

/** Playwright has no public way to send a command of its own to Firefox. */
function insideOf(one: Browser | Page): unknown {
  const { _connection } = one as unknown as { _connection: { toImpl(of: unknown): unknown } };
  return _connection.toImpl(one);
}
