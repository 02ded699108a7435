/*
 * Parts of a page: requests them, sends their forms without loading the page, and changes only what differs.
 */

/**
 * Shows a message at the top of the page, or of the open dialog, which hides the page from screen readers. `isLost`: it is
 * about the connection, and goes when that is back.
 */
function say(kind, text, isLost = false) {
  const message = document.createElement("p");
  message.className = `flash ${kind}`;
  message.textContent = text;
  message.toggleAttribute("data-lost", isLost);
  const place = document.querySelector("dialog[open] [data-flash]");
  (place ?? document.getElementById("flash")).replaceChildren(message);
}

const noConnection = "There is no connection to the server.";

/** A request without a response for this long has failed. */
const timeoutMs = 8_000;

/** The same for a change, which takes a busy service longer. */
const changeTimeoutMs = 15_000;

/** Sends a request as a script: null if the server cannot be reached. It follows no redirect. */
function request(url, headers = {}, options = {}) {
  return fetch(url, {
    redirect: "manual",
    // Over plain HTTP some browsers do not mark the requests of scripts.
    headers: { "X-Requested-With": "script", ...headers },
    signal: AbortSignal.timeout(timeoutMs),
    ...options,
  }).catch(() => null);
}

/** The text of a response; null if there is none. After the end of the session the page leads to the sign-in. */
async function textOf(response) {
  if (response?.status === 401) location.reload();
  return response?.text().catch(() => null) ?? null;
}

/** Requests a page: null if that fails. */
// biome-ignore lint/correctness/noUnusedVariables: the scripts after this one use it
async function readPage(url) {
  const response = await request(url);
  const text = await textOf(response);
  return response?.ok && text !== null ? parse(text) : null;
}

/** Sends a form, and returns the page or the pieces of the response. If that fails it says why, and returns null. */
async function sendForm(form, submitter) {
  const body = new URLSearchParams(new FormData(form, submitter));
  const isChange = form.method === "post";
  const url = isChange ? form.action : `${form.action}?${body}`;
  const options = isChange
    ? { signal: AbortSignal.timeout(changeTimeoutMs), method: "POST", body }
    : { signal: null }; // a report may take long, and locks nothing
  const response = await request(url, {}, options);
  const text = await textOf(response);
  if (text !== null && (response.ok || response.status === 422)) return parse(text);
  if (response === null) {
    // The connection may have ended after the server made the change.
    const advice = isChange ? "Check whether it was done before you try again." : "Try again.";
    say("failed", `${noConnection} ${advice}`, true);
  } else if (response.status === 403) {
    document.body.dataset.reload = ""; // keeps the input; see page.js
    const heading = parse(text ?? "").querySelector("h1")?.textContent ?? "Not allowed";
    say("failed", `${heading}, so nothing was done. Reload the page.`);
  } else if (response.status === 429) {
    const advice = `Try again in ${response.headers.get("Retry-After")} s.`;
    say(
      "failed",
      `There were too many changes from this browser, so this one was not made. ${advice}`,
    );
  } else if (response.status !== 401) {
    say("failed", "That did not work. Reload the page to see the current state.");
  }
  return null;
}

function parse(text) {
  return new DOMParser().parseFromString(text, "text/html");
}

/**
 * Changes the content of an element to that of another one, and touches only what differs. The focus stays at the same
 * element, at least at the same person, or at the heading of the same card.
 */
function replaceContent(element, fresh) {
  const { activeElement: active } = document;
  const [row, card] = [active.closest("li[id], tr[id]"), active.closest(".queue")];
  // Each message is a new element, so that it is read out and stays for its whole time.
  if (element.id === "flash") return element.replaceChildren(...fresh.childNodes);
  const chosen = new Map();
  Idiomorph.morph(element, [...fresh.childNodes], {
    morphStyle: "innerHTML",
    callbacks: {
      beforeNodeMorphed(node, next) {
        if (chosenLists.has(node)) chosen.set(node, node.selectedOptions[0]?.value);
        return !isKept(node, next);
      },
      afterNodeMorphed(node) {
        if (chosen.has(node)) choose(node, chosen.get(node));
      },
    },
  });
  if (active === document.body || document.activeElement !== document.body) return;
  const same = active.id ? document.getElementById(active.id) : twinOf(active, element);
  const person = row && document.getElementById(row.id)?.querySelector("a");
  const close = element.closest("dialog")?.querySelector("[method=dialog] button");
  (same || person || card?.querySelector("h2") || close)?.focus({ preventScroll: true });
}

/**
 * After a tap, what is at its place is another button than before. The second of two quick taps is probably meant for
 * the first, so the buttons wait for this long.
 */
const settleMs = 1_500;

/** Whether a node stays as it is: the browser has filled it, keeps its time up to date or frames it, or holds a choice in it. */
function isKept(node, next) {
  const keeps = (name) =>
    node.dataset?.[name] !== undefined && node.dataset[name] === next.dataset?.[name];
  return (
    ["kept", "since", "call"].some(keeps) || (node.nodeName === "SELECT" && node.isEqualNode(next))
  );
}

/** The lists in which the user has chosen. */
const chosenLists = new WeakSet();
document.addEventListener("change", ({ target }) => {
  if (target.nodeName === "SELECT") chosenLists.add(target);
});

/**
 * Chooses an option of a list again after the list has changed. If it is gone, or `value` is undefined, nothing is
 * chosen, and the form is not sent until the user chooses.
 */
function choose(list, value) {
  list.selectedIndex = [...list.options].findIndex((option) => option.value === value);
  if (list.selectedIndex >= 0) return;
  list.setCustomValidity("Your choice is no longer possible. Choose again.");
  list.addEventListener("change", () => list.setCustomValidity(""), { once: true });
}

/** What the user has put into a field. */
// biome-ignore lint/correctness/noUnusedVariables: the scripts after this one use it
function typedIn({ id, type, value, checked }) {
  return ["checkbox", "radio"].includes(type) ? { id, checked } : { id, value };
}

/** Restores what `typedIn` read, except an option that no longer exists. Opens each `details` around the field. */
// biome-ignore lint/correctness/noUnusedVariables: the scripts after this one use it
function putBack(field, { value, checked }) {
  const isGone = field.options && ![...field.options].some((option) => option.value === value);
  if (checked !== undefined) field.checked = checked;
  else if (!isGone) field.value = value;
  for (let at = field; at; at = at.parentElement) if (at.matches("details")) at.open = true;
}

/** The link or button that does what another one did. */
function twinOf({ href, name, value }, within) {
  const isTwin = (one) => (href ? one.href === href : one.name === name && one.value === value);
  return (href || name) && [...within.querySelectorAll("a, button")].find(isTwin);
}

const signs = {
  live: "Live",
  coming: "Connecting…",
  lost: "Connection lost. Trying again…",
  held: "Changes wait until you finish.",
};

/** Shows whether a page is up to date, where it has a place for that. */
function showState(state) {
  const sign = document.getElementById("live");
  if (!sign || sign.textContent === signs[state]) return; // an equal text would be read out again
  sign.hidden = false;
  sign.classList.toggle("lost", state === "lost");
  sign.textContent = signs[state];
  if (state !== "live") return;
  for (const message of document.querySelectorAll("[data-lost]")) message.remove();
}

/**
 * Follows a part of this page: requests the page again after each of these seconds, while it is visible, and calls
 * `show` with the part as it is now, which returns false if it cannot show it yet. `onState`: the page is `live`, `coming`,
 * `lost` or `held`. `reload`: loads the page, because its title or the `data-frame` of the part has changed. With 0
 * seconds only `refresh` requests it.
 */
function follow(part, seconds, { show, onState = showState, reload = () => location.reload() }) {
  let tag = null;
  let turn = 0;
  let next = 0;

  /** Shows the page as it is now. `...rest` is passed to `show`. */
  async function refresh(...rest) {
    clearTimeout(next);
    const own = ++turn;
    const { href } = location;
    const response = await request(href, tag ? { "If-None-Match": tag } : {});
    const isSame = response?.status === 304;
    const text = response?.ok ? await response.text().catch(() => null) : null;
    if (own !== turn) return;
    if (seconds > 0) next = setTimeout(refresh, seconds * 1_000);
    if (href !== location.href) return; // of an earlier search
    // The session has ended, or the link to a display is revoked: the server says so on a page of its own.
    // A proxy that has no service at the moment says 404 too, but does not name the request.
    const isGone = response?.status === 404 && response.headers.has("X-Request-Id");
    const isSignedOut = response?.type === "opaqueredirect" || response?.status === 401;
    if (isSignedOut || isGone) return location.reload();
    if (!isSame && text === null) {
      tag = null; // other requests of the page may have failed too: `show` repeats them
      return onState("lost");
    }
    if (!isSame) {
      const fresh = parse(text);
      const now = fresh.getElementById(part.id);
      if (fresh.title !== document.title || now?.dataset.frame !== part.dataset.frame) {
        return reload();
      }
      const isShown = show(now, ...rest) !== false;
      tag = isShown ? response.headers.get("ETag") : null;
      if (!isShown) return onState("held");
    }
    onState("live");
  }

  /** Requests nothing for this long. */
  function pause(ms) {
    turn++;
    clearTimeout(next);
    if (ms !== undefined) next = setTimeout(refresh, ms);
  }

  if (seconds > 0) {
    const look = () => {
      if (!document.hidden) return refresh();
      pause();
      onState("coming");
    };
    document.addEventListener("visibilitychange", look);
    addEventListener("online", look);
    addEventListener("offline", look);
    // The end of the session must not interrupt the browser, which loads another page. If it does not, this one goes on.
    addEventListener("beforeunload", () => pause(timeoutMs));
    look();
  }
  return { refresh, pause };
}

/**
 * Keeps a part of this page live. Its forms do not load the page. A form that selects what the part shows is sent when
 * it changes. While the part is in use, it stays as it is.
 */
// biome-ignore lint/correctness/noUnusedVariables: the scripts after this one use it
function keepLive(part) {
  let searches = 0;
  /** The query of what the part shows. */
  let shown = location.search;
  /** The forms that are sent and have no response yet. */
  const underWay = new Set();

  async function send(form, submitter) {
    const isSearch = form.method === "get";
    const turn = isSearch ? ++searches : 0;
    const query = new URLSearchParams(new FormData(form));
    const buttons = isSearch ? [] : [...form.querySelectorAll("button")];
    if (!isSearch) underWay.add(form);
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    const page = await sendForm(form, submitter);
    if (page !== null && !isSearch) {
      showMessage(page); // before the part, which takes another request
      await refresh(true);
    }
    for (const button of buttons) button.removeAttribute("aria-disabled");
    underWay.delete(form);
    if (page === null || (isSearch && turn !== searches)) return;
    if (isSearch) {
      // A date changes several times while it is typed, so only what is sent by its button is in the history.
      const change = submitter === null ? "replaceState" : "pushState";
      history[change](null, "", `${form.action}?${query}`);
      shown = location.search;
      replaceContent(part, page.getElementById(part.id));
      showMessage(page);
    } else if (!submitter?.isConnected) settle();
  }

  function showMessage(page) {
    replaceContent(document.getElementById("flash"), page.getElementById("flash"));
  }

  function settle() {
    const buttons = [...part.querySelectorAll("form[method=post] button")];
    for (const button of buttons) button.setAttribute("aria-disabled", "true");
    setTimeout(() => {
      for (const button of buttons) button.removeAttribute("aria-disabled");
    }, settleMs);
  }
  part.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.submitter?.ariaDisabled === "true") return;
    if (!underWay.has(event.target)) send(event.target, event.submitter);
  });
  part.addEventListener("change", ({ target: { form } }) => {
    if (form?.method === "get") send(form, null);
  });
  if (part.querySelector("form[method=get]")) {
    // A link to a place on the page, such as the one that skips to the content, is in the history too.
    addEventListener("popstate", () => location.search !== shown && location.reload());
  }

  const isInUse = () =>
    underWay.size > 0 ||
    part.querySelector("details[open]") !== null ||
    (part.contains(document.activeElement) && document.activeElement.matches("input"));

  /** `isOwn`: shows what a form of this part has just changed, so also while the part is in use. */
  const { refresh } = follow(part, Number(part.dataset.live), {
    show: (now, isOwn = false) => {
      if (!isOwn && isInUse()) return false;
      replaceContent(part, now);
      return true;
    },
  });

  // A search field beside the part: what the part shows follows the typing.
  const find = document.querySelector(`[data-filters="${part.id}"]`);
  let asking = 0;
  find?.addEventListener("input", () => {
    clearTimeout(asking);
    asking = setTimeout(() => {
      const query = new URLSearchParams(new FormData(find.form));
      history.replaceState(null, "", `${find.form.action}?${query}`);
      refresh(true);
    }, 200);
  });
}
