/*
 * Makes the board live: follows its events, and sends what is pressed without loading the page. While
 * the connection is lost, buttons do what they do without this script: the page is loaded anew.
 */
(() => {
  const board = document.getElementById("board");
  const sign = document.getElementById("live");
  const flash = document.getElementById("flash");
  const dialog = document.getElementById("person");
  const events = new URL(board.dataset.events, location.href);

  /** Without a sign of life for so long, a connection is dead, whatever the browser thinks of it. */
  const patienceMs = 8_000;
  const firstRetryMs = 500;
  const longestRetryMs = 8_000;

  let source = null;
  let isLive = false;
  let retryMs = firstRetryMs;
  let waiting = 0;
  let silence = 0;

  const signs = {
    live: "Live",
    coming: "Connecting…",
    lost: "Connection lost. Trying again…",
    resting: "Paused: this board is open many times. It goes on when you come back to it.",
  };

  function show(state) {
    isLive = state === "live";
    if (sign.textContent === signs[state]) return; // or it would be read out again
    sign.hidden = false;
    sign.classList.toggle("lost", !isLive);
    sign.textContent = signs[state];
  }

  function connect() {
    disconnect();
    source = new EventSource(events);
    heard();
    source.addEventListener("live", () => {
      heard();
      retryMs = firstRetryMs;
      show("live");
    });
    source.addEventListener("beat", heard);
    source.addEventListener("patch", (event) => {
      heard();
      change(event.data);
      events.searchParams.set("snapshot", event.lastEventId);
    });
    source.addEventListener("reload", () => location.reload());
    source.addEventListener("rest", () => leave("resting"));
    source.onerror = lose;
  }

  function disconnect() {
    clearTimeout(waiting);
    clearTimeout(silence);
    source?.close();
    source = null;
  }

  function heard() {
    clearTimeout(silence);
    silence = setTimeout(lose, patienceMs);
  }

  function lose() {
    leave("lost");
    waiting = setTimeout(tryAgain, retryMs);
    retryMs = Math.min(retryMs * 2, longestRetryMs);
  }

  function leave(state) {
    disconnect();
    show(state);
  }

  /** Connects at once, where somebody can see it. */
  function comeBack() {
    if (!document.hidden) connect();
  }

  /**
   * Whoever is not signed in any more is shown the page for that, and not a line that never returns. The
   * server is told that a script asks, since not every browser says so on plain http; a redirect is none
   * to follow.
   */
  async function tryAgain() {
    const answer = await fetch(location.href, {
      method: "HEAD",
      redirect: "manual",
      headers: { "HX-Request": "true" },
      signal: AbortSignal.timeout(patienceMs),
    }).catch(() => null);
    if (document.hidden || source) return; // left, or came back, meanwhile
    if (answer?.status === 401 || answer?.type === "opaqueredirect") location.reload();
    else if (answer?.ok) connect();
    else lose();
  }

  /** Puts pieces of the board in their places. Whoever loses the focus by it finds it close by. */
  function change(pieces) {
    const card = document.activeElement?.closest(".queue");
    htmx.swap(board, pieces, { swapStyle: "none", swapDelay: 0, settleDelay: 0 });
    if (card && document.activeElement === document.body) {
      card.querySelector("button.call, summary")?.focus({ preventScroll: true });
    }
  }

  const underWay = new Set();

  document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    if (!isLive || !board.contains(form) || form.method === "dialog") return;
    event.preventDefault();
    const button = submitter ?? form;
    if (underWay.has(button)) return; // a second tap
    underWay.add(button);
    button.setAttribute("aria-disabled", "true");
    dialog.close();
    try {
      const values = submitter?.name ? { [submitter.name]: submitter.value } : {};
      await htmx.ajax("POST", form.action, { source: form, values, swap: "none" });
    } finally {
      underWay.delete(button);
      button.removeAttribute("aria-disabled");
    }
  });

  /** What was done shows on the board too, so its message need not stay. */
  const messageMs = 6_000;
  new MutationObserver(() => {
    const done = flash.querySelector(".flash.done");
    if (done) setTimeout(() => done.remove(), messageMs);
  }).observe(flash, { childList: true });

  const problem = (text) => {
    const message = document.createElement("p");
    message.className = "flash wrong";
    message.textContent = text;
    flash.replaceChildren(message);
  };
  document.addEventListener("htmx:sendError", () =>
    problem("That was not sent: the connection is lost. Try again in a moment."),
  );
  document.addEventListener("htmx:responseError", () =>
    problem("That did not work. Load the page again to see how things stand."),
  );
  // A piece for a place that is not on this page: the page and the server do not mean the same board.
  document.addEventListener("htmx:oobErrorNoTarget", () => location.reload());

  /** Whatever else can be done for somebody stands on a page of their own, which a dialog shows. */
  board.addEventListener("click", async (event) => {
    const link = event.target.closest("a.who");
    if (!link || !isLive || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    await htmx.ajax("GET", link.href, { source: board, target: "#person-card", swap: "innerHTML" });
    if (!dialog.open) dialog.showModal();
  });

  // Whoever signs out is on the way to another page, from which the end of the session must not lead
  // away. Where nothing came of leaving, the board goes on.
  addEventListener("beforeunload", () => {
    disconnect();
    waiting = setTimeout(comeBack, patienceMs);
  });
  addEventListener("online", comeBack);
  // Browsers have six connections to a server, which hidden boards would take from all other pages.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) leave("coming");
    else connect();
  });
  addEventListener("focus", () => {
    if (!source) comeBack();
  });
  comeBack();
})();
