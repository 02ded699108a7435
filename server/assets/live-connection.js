/* The live connection of the board and of the display. */

/**
 * Follows a page's events, treats silence as a loss, and connects again. `onPatch` receives the pieces of the
 * page that changed. `onRest` is called when the server asks this page to stop; by default that is a loss.
 * `onReload` is called when the page is out of date; by default it loads the page again.
 */
class LiveConnection {
  static #firstRetryMs = 500;
  static #longestRetryMs = 8_000;

  /** When the server last sent anything, in milliseconds since 1970. */
  heardAt = Date.now();
  #events;
  #page;
  #source = null;
  #silence = 0;
  #retry = 0;
  #retryMs = LiveConnection.#firstRetryMs;

  /**
   * `isEnded` decides from the response to a request for the page whether it must be reloaded, for example because the
   * session has ended.
   */
  constructor(
    events,
    {
      onLive,
      onPatch,
      onLost,
      onRest = () => this.lose(),
      onReload = () => location.reload(),
      isEnded,
    },
  ) {
    this.#events = new URL(events, location.href);
    this.#page = { onLive, onPatch, onLost, onRest, onReload, isEnded };
  }

  get isOpen() {
    return this.#source !== null;
  }

  connect() {
    this.disconnect();
    const source = new EventSource(this.#events);
    this.#source = source;
    this.#heard();
    source.addEventListener("live", () => {
      this.#heard();
      this.#retryMs = LiveConnection.#firstRetryMs;
      this.#page.onLive();
    });
    source.addEventListener("beat", () => this.#heard());
    source.addEventListener("patch", ({ data, lastEventId }) => {
      this.#heard();
      this.#page.onPatch(data);
      this.#events.searchParams.set("snapshot", lastEventId);
    });
    source.addEventListener("reload", () => this.#page.onReload());
    source.addEventListener("rest", () => this.#page.onRest());
    source.onerror = () => this.lose();
  }

  disconnect() {
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    this.#retry = 0;
    this.#source?.close();
    this.#source = null;
  }

  /** Disconnects, and tries again after a pause that grows. */
  lose() {
    this.disconnect();
    this.#page.onLost();
    this.#retry = setTimeout(() => this.#tryAgain(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LiveConnection.#longestRetryMs);
  }

  #heard() {
    this.heardAt = Date.now();
    clearTimeout(this.#silence);
    // A connection that is silent for this long is lost, even if the browser keeps it open.
    this.#silence = setTimeout(() => this.lose(), patienceMs);
  }

  async #tryAgain() {
    const retry = this.#retry;
    const response = await reachPage();
    if (retry !== this.#retry) return; // connected or disconnected meanwhile
    if (response && this.#page.isEnded(response)) location.reload();
    else if (response?.ok) this.connect();
    else this.lose();
  }
}

/** Requests this page without its content: null if the server cannot be reached. */
function reachPage() {
  return request(location.href, { method: "HEAD" });
}
