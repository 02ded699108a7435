/* Makes the board live, and sends the buttons' forms without loading the page. */
(() => {
  const board = document.getElementById("board");
  const flash = document.getElementById("flash");
  const dialog = document.getElementById("person");
  const screen = document.getElementById("screen");
  /** The state of the connection, as `follow` reports it; null on a page that was just loaded. */
  let connection = null;
  const isLive = () => connection === "live";

  function onState(state) {
    if (state === "lost" && isLive()) sayLost();
    connection = state;
    showState(state);
  }

  /** Says in the open card that the connection is lost. The advice of a form that failed says more, and stays. */
  function sayLost() {
    if (dialog.open && !dialog.querySelector("[data-lost]")) say("failed", signs.lost, true);
  }

  const { refresh, pause } = follow(board, 1, { show: change, onState, reload });

  const cards = () => board.querySelectorAll(".queue");
  /** Shows changes of the board. */
  function change(now) {
    const places = placesOfPeople();
    lockingSurprises(() => {
      for (const card of cards()) replaceContent(card, now.querySelector(`#${card.id}`));
    });
    showLocks();
    refreshCard();
    for (const list of board.querySelectorAll(".ended[open] [data-people]")) showPeople(list);
    if (!found.hidden) showFound();
    showWaits();
    moveFrom(places);
  }

  /** The list and the screen position of each person. */
  function placesOfPeople() {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return null;
    const rows = [...board.querySelectorAll(".people > li")];
    return new Map(
      rows.map((row) => [
        row.querySelector("a.who").pathname,
        { inLine: row.parentElement.matches(".line"), box: row.getBoundingClientRect() },
      ]),
    );
  }

  /** Animates the people who have moved between the line and service. */
  function moveFrom(before) {
    if (before === null) return;
    for (const row of board.querySelectorAll(".people > li")) {
      const from = before.get(row.querySelector("a.who").pathname);
      if (!from || from.inLine === row.parentElement.matches(".line")) continue;
      const box = row.getBoundingClientRect();
      const way = `translate(${from.box.x - box.x}px, ${from.box.y - box.y}px)`;
      row.animate([{ transform: way }, { transform: "none" }], {
        duration: 350,
        easing: "ease-out",
      });
    }
  }

  /** The number of the request that each list shows. A slow response must not replace a newer one. */
  const shown = new WeakMap();
  let requests = 0;

  /** People in a list that is loaded when the user opens it. */
  async function showPeople(list, href = list.dataset.people) {
    const own = ++requests;
    const people = (await readPage(href))?.getElementById("people");
    if (!people || own < (shown.get(list) ?? 0)) return;
    shown.set(list, own);
    lockingSurprises(() => replaceContent(list, people));
  }
  board.addEventListener(
    "toggle",
    ({ target }) => {
      if (isLive() && target.open && target.matches(".ended")) {
        showPeople(target.querySelector("[data-people]"));
      }
    },
    true,
  );

  const find = document.getElementById("find");
  const found = document.getElementById("found");
  let asking = 0;
  function showFound() {
    return showPeople(found, `${find.form.action}?${new URLSearchParams({ q: find.value })}`);
  }
  function findPeople() {
    clearTimeout(asking);
    shown.set(found, ++requests); // no earlier search
    found.hidden = find.value.trim() === "";
    if (found.hidden) return found.replaceChildren();
    asking = setTimeout(showFound, 200);
  }
  if (find) {
    find.addEventListener("input", findPeople);
    find.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      find.value = "";
      findPeople();
    });
  }

  /** The time by the server's clock, because this machine's clock may be wrong. */
  const clockAhead = Number(board.dataset.now) - Date.now();
  const longWait = Number(board.dataset.longWait) || Number.POSITIVE_INFINITY;

  function inHours(minutes) {
    if (minutes < 60) return `${minutes} min`;
    return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")}`;
  }

  /** Shows how long each person has waited or has been served, instead of the start time. */
  function showWaits() {
    const now = Date.now() + clockAhead;
    for (const time of board.querySelectorAll(".time[data-since]")) {
      const minutes = Math.max(0, Math.floor((now - Number(time.dataset.since)) / 60_000));
      const waits = time.closest(".line") !== null;
      const isLong = waits && minutes >= longWait;
      const waiting = isLong ? "long wait," : "waiting"; // in words, for those who do not see the color
      const text = `${waits ? waiting : "for"} ${inHours(minutes)}`;
      if (time.textContent !== text) time.textContent = text;
      time.classList.toggle("long", isLong);
    }
  }
  showWaits();
  setInterval(showWaits, 15_000);

  /** The ids of the queues that this browser shows; all queues if none of the chosen ones exists. */
  const choice = document.getElementById("choice");
  const chosenKey = "queues";
  function showChosen() {
    const chosen = new Set(JSON.parse(localStorage.getItem(chosenKey) ?? "[]"));
    const boxes = [...choice.querySelectorAll("input")];
    const all = !boxes.some(({ value }) => chosen.has(value));
    for (const box of boxes) {
      const isShown = all || chosen.has(box.value);
      box.checked = isShown;
      document.getElementById(`queue-${box.value}`).hidden = !isShown;
      document.querySelector(`[data-queue="${box.value}"]`).hidden = !isShown;
    }
    board.classList.toggle("single", boxes.filter(({ checked }) => checked).length === 1);
  }
  if (choice) {
    choice.hidden = false;
    const full = document.getElementById("full-screen");
    full.hidden = !document.fullscreenEnabled;
    full.addEventListener("click", () => document.documentElement.requestFullscreen());
  }
  const all = document.getElementById("show-all");
  if (all) {
    choice.addEventListener("change", () => {
      const boxes = [...choice.querySelectorAll("input:checked")];
      localStorage.setItem(chosenKey, JSON.stringify(boxes.map(({ value }) => value)));
      showChosen();
    });
    all.addEventListener("click", () => {
      localStorage.removeItem(chosenKey);
      showChosen();
    });
    showChosen();
  }

  /* A tap locks the buttons of the same kind in that queue until a moment after its response. */
  /** How long a button is locked that a change has just put where another one was. */
  const surpriseMs = 700;
  const kinds = { next: "call", pause: "state", resume: "state", close: "state", open: "state" };
  const kindOf = ({ name }) => kinds[name] ?? name;
  /** Timers of the locked buttons, by kind and card. Null: locked until the response arrives. */
  const locks = new Map();

  function lock(queues, kind, ms) {
    for (const { id } of queues) {
      const name = `${kind} ${id}`;
      clearTimeout(locks.get(name));
      const free = () => {
        locks.delete(name);
        showLocks();
      };
      locks.set(name, ms === null ? null : setTimeout(free, ms));
    }
    showLocks();
  }

  /** Timers of the buttons that a change has put where another one was. */
  const surprises = new Map();

  function isLocked(button) {
    if (surprises.has(button)) return true;
    const card = button.closest(".queue");
    return card !== null && locks.has(`${kindOf(button)} ${card.id}`);
  }

  const actsOn = (place) => place.querySelectorAll(":is(.queue, #person-card) button[name]");

  function showLocks() {
    for (const button of actsOn(board)) {
      if (isLocked(button)) button.setAttribute("aria-disabled", "true");
      else if (button.ariaDisabled) button.removeAttribute("aria-disabled");
    }
  }

  /** What a button does, and to whom. Its value also contains their revision. */
  const actOf = ({ name, value }) => `${name} ${value.split(".")[0]}`;

  /** The buttons that can be pressed, with their places on the screen. */
  function placesOfActs() {
    const place = dialog.open ? dialog : board;
    return [...actsOn(place)].map((button) => {
      return { button, act: actOf(button), box: button.getBoundingClientRect() };
    });
  }

  const overlap = (one, other) =>
    one.left < other.right &&
    other.left < one.right &&
    one.top < other.bottom &&
    other.top < one.bottom;

  /** Shows a change of others, and locks the buttons that it puts where another one was: a tap is meant for that one. */
  function lockingSurprises(show) {
    const before = placesOfActs();
    const placeOf = ({ act, box }) => `${act} ${box.x} ${box.y}`;
    const places = new Set(before.map(placeOf));
    show();
    const isSurprise = ({ act, box }) =>
      before.some((one) => one.act !== act && overlap(one.box, box));
    const others = placesOfActs().filter((one) => !places.has(placeOf(one)));
    lockAsSurprises(others.filter(isSurprise));
  }

  function lockAsSurprises(places) {
    for (const { button } of places) {
      clearTimeout(surprises.get(button));
      const free = () => {
        surprises.delete(button);
        showLocks();
      };
      surprises.set(button, setTimeout(free, surpriseMs));
    }
    showLocks();
  }

  const underWay = new Set();

  document.addEventListener("submit", async (event) => {
    const { target: form, submitter } = event;
    const isAct = [board, flash, screen].some((place) => place.contains(form));
    if (form.method === "dialog" || (isLive() && !isAct && form !== find?.form)) return;
    event.preventDefault();
    if (isEmptyAgain(form)) return;
    if (!isAct) return isLive() ? findPeople() : unlessOffline(() => form.submit());
    const button = submitter?.name ? submitter : form;
    if (button !== form && isLocked(button)) return; // a second tap
    if (underWay.has(button)) return; // a second submit of the same button
    underWay.add(button);
    const typed = new FormData(form);
    const kind = button === form ? null : kindOf(button);
    const card = (submitter ?? form).closest(".queue");
    const queues = card ? [card] : cards(); // a tap after the dialog closes can hit any queue of the board below
    if (kind) lock(queues, kind, null);
    else submitter?.setAttribute("aria-disabled", "true");
    const sending = sendForm(form, submitter);
    if (kind) dialog.close();
    const page = await sending;
    if (!kind) submitter?.removeAttribute("aria-disabled");
    if (page !== null) replaceContent(flash, page.getElementById("flash"));
    if (kind) lock(queues, kind, settleMs);
    else if (page !== null && screen.contains(form)) showCounter(page, typed);
    else if (page !== null) showForm(form.closest("[id^=walk-in], #person-card"), page, typed);
    // The message that contained the button was replaced.
    if (!button.isConnected && document.activeElement === document.body) {
      document.getElementById("content").focus({ preventScroll: true });
    }
    underWay.delete(button);
    if (isOutdated) reload();
    else refresh();
  });

  /** Shows what the counter of this browser is named now. A name that was typed after `typed` was sent stays. */
  function showCounter(page, typed) {
    const [head, form] = ["counter-head", "counter-form"].map((id) => document.getElementById(id));
    replaceContent(head, page.getElementById(head.id));
    if (form.elements.counter.value !== typed.get("counter")) return;
    replaceContent(form, page.getElementById(form.id));
    if (!screen.contains(document.activeElement)) return;
    head.focus();
    screen.open = false;
  }

  /**
   * Shows the form of a response in its place: one that was refused, or a new one for the next walk-in. What the user has
   * typed since `typed` was sent stays.
   */
  function showForm(place, page, typed) {
    const fresh = place && page.getElementById(place.id);
    if (!fresh) return dialog.close(); // the person is corrected
    const isLater = ({ name, type, value, checked }) =>
      type === "checkbox" ? typed.has(name) !== checked : typed.get(name) !== value;
    const later = [...place.querySelectorAll("input:not([type=hidden]), select")]
      .filter((field) => field.name && isLater(field))
      .map(typedIn);
    const isRefused = fresh.querySelector("[aria-invalid], [role=alert]") !== null;
    if (dialog.contains(place)) place.replaceChildren(...fresh.childNodes);
    else replaceContent(place, fresh);
    if (!isRefused) {
      place.querySelector("form").reset();
      addedAt.set(place, Date.now());
    }
    for (const one of later) {
      const field = document.getElementById(one.id);
      if (field) putBack(field, one);
    }
    const first = place.querySelector("input:not([type=hidden])");
    (place.querySelector("[aria-invalid]") ?? first).focus();
  }

  /** When a person was added, by the place of the form: a second press then would add one without a name. */
  const addedAt = new WeakMap();
  function isEmptyAgain(form) {
    const isRecent = Date.now() - (addedAt.get(form.parentElement) ?? 0) < settleMs;
    return isRecent && !new FormData(form).get("name") && !new FormData(form).get("phone");
  }

  /** Requests this page without its content: null if the server cannot be reached. */
  const reachPage = () => request(location.href, {}, { method: "HEAD" });

  /** Leaves the page if the server can be reached. Otherwise the browser would show an error page. */
  async function unlessOffline(leave) {
    if (await reachPage()) {
      isLeaving = true;
      return leave();
    }
    say("failed", `${noConnection} Try again in a moment.`, true);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.defaultPrevented || (isLive() && navigator.onLine)) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || link.pathname === "") return;
    if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    unlessOffline(() => location.assign(link.href));
  });

  let shownAt = Date.now();
  new MutationObserver(() => {
    shownAt = Date.now();
  }).observe(flash, { childList: true });

  /*
   * Loads the page again, for example because a queue was added: after the forms that are under way, or after a
   * while. The message of a tap, the open card and the focus are there again, and input that was not sent is kept.
   */
  const keptMs = 10_000; // as long as page.js shows an undo
  const keptKey = "reload";
  let isOutdated = false;
  /** Whether the browser loads another page, which a reload would prevent. */
  let isLeaving = false;

  async function reload() {
    pause();
    onState("coming");
    if (!isOutdated) setTimeout(reloadNow, timeoutMs);
    isOutdated = true;
    if (underWay.size === 0) await reloadNow();
  }

  async function reloadNow() {
    const page = await reachPage();
    if (isLeaving) return;
    if (page === null) {
      isOutdated = false;
      return refresh(); // which asks for a reload when the server can be reached again
    }
    if (page.ok) {
      const html = flash.querySelector(".flash")?.outerHTML ?? "";
      const person = dialog.open ? card.href : null;
      const focus = document.activeElement.id;
      sessionStorage.setItem(keptKey, JSON.stringify({ shownAt, html, person, focus }));
    }
    document.body.dataset.reload = "";
    location.reload();
  }

  async function showKept() {
    const kept = JSON.parse(sessionStorage.getItem(keptKey));
    sessionStorage.removeItem(keptKey);
    if (kept === null) return;
    lockAsSurprises(placesOfActs());
    const isRecent = Math.abs(Date.now() - kept.shownAt) < keptMs;
    if (isRecent && flash.childElementCount === 0) flash.innerHTML = kept.html;
    if (kept.person !== null) {
      const own = uses;
      const page = await readPage(kept.person);
      if (own !== uses) return;
      if (page !== null) openCard(kept.person, page);
    }
    focusAgain(kept.focus);
  }

  function focusAgain(id) {
    const element = id && document.getElementById(id);
    if (!element) return;
    const around = element.closest("details:not([open])");
    if (around && !element.matches("summary")) around.open = true;
    element.focus({ preventScroll: true });
  }

  /*
   * Each person has a page with further actions, which a dialog shows. Going back closes the dialog. Its content is
   * updated while it is open.
   */
  let card = { href: "", html: "" };

  function showCard(href, page) {
    const [name, content] = [page.querySelector("h1"), page.getElementById("person-card")];
    const { innerHTML: html } = content;
    if (dialog.open && card.href === href && card.html === html) return;
    card = { href, html };
    dialog.dataset.page = href; // page.js goes there if the session ends meanwhile
    document.getElementById("person-name").innerHTML = name.innerHTML;
    const place = document.getElementById("person-card");
    if (!dialog.open) place.replaceChildren();
    lockingSurprises(() => replaceContent(place, content));
  }

  function openCard(href, page) {
    showCard(href, page);
    if (dialog.open) return;
    dialog.showModal();
    if (connection === "lost") sayLost();
    // Without the fragment, because going back to it would move the focus.
    history.replaceState(null, "", location.pathname + location.search);
    history.pushState({ person: true }, "");
  }

  async function refreshCard() {
    if (!dialog.open) return;
    const { href } = card;
    const page = await readPage(href);
    if (dialog.open && card.href === href && page !== null) showCard(href, page);
  }

  /** Counts what the user does. A card is for the last click only: it must not open over what came after. */
  let uses = 0;
  for (const type of ["click", "input"]) document.addEventListener(type, () => uses++, true);

  board.addEventListener("click", async (event) => {
    const link = event.target.closest("a.who, .facts a");
    if (!link || !isLive() || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const own = uses;
    const page = await readPage(link.href);
    await closedCardLeft;
    if (own !== uses) return;
    if (page === null) return say("failed", "That cannot be shown: the connection is lost.", true);
    openCard(link.href, page);
  });
  addEventListener("popstate", () => dialog.close());
  /** Settles when the browser has gone back after a card was closed. An open card would be closed by that. */
  let closedCardLeft = Promise.resolve();
  dialog.addEventListener("close", () => {
    dialog.querySelector("[data-flash]").replaceChildren();
    // The link that opened the card may be gone, with the focus.
    if (document.activeElement === document.body) document.getElementById("content").focus();
    if (!history.state?.person) return;
    closedCardLeft = new Promise((resolve) =>
      addEventListener("popstate", resolve, { once: true }),
    );
    history.back();
  });
  if (history.state?.person) history.replaceState(null, ""); // the page was reloaded
  showKept();

  addEventListener("beforeunload", () => {
    isLeaving = true;
    setTimeout(() => {
      isLeaving = false; // the page was not left after all
    }, timeoutMs);
  });
})();
