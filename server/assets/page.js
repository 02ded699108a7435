/*
 * Runs on every page: keeps its parts live, sends each form once, copies and prints, keeps typed form input during a
 * sign-in, and closes the menus.
 */
(() => {
  /** The signed-in account; undefined on a page without a sign-in. */
  const { account } = document.body.dataset;

  for (const menu of document.querySelectorAll("details.menu")) {
    document.addEventListener("click", ({ target }) => {
      if (!menu.contains(target)) menu.open = false;
    });
    menu.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || !menu.open) return;
      menu.open = false;
      menu.querySelector("summary").focus();
    });
    menu.addEventListener("focusout", ({ relatedTarget: next }) => {
      if (next && !menu.contains(next)) menu.open = false;
    });
  }

  for (const part of document.querySelectorAll("[data-live]")) keepLive(part);

  const find = document.getElementById("find");
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, select, textarea");
    const isOther = event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey;
    if (!find || isOther || isTyping || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    find.focus();
  });

  // A refused form: where to correct it.
  document.querySelector("main :is([aria-invalid], fieldset[aria-describedby] input)")?.focus();

  const print = document.getElementById("print");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", () => window.print());
    print.focus();
  }

  // Offers to copy a text that is shown once, and removes it when the user leaves the page.
  for (const button of document.querySelectorAll("button[data-copies]")) {
    const text = document.getElementById(button.dataset.copies);
    button.hidden = false;
    button.addEventListener("click", async () => {
      const note = document.querySelector(`[data-copied="${text.id}"]`);
      try {
        await navigator.clipboard.writeText(text.textContent);
        note.textContent = "Copied.";
      } catch {
        getSelection().selectAllChildren(text); // without https there is no clipboard: selects the text, so that one keystroke copies it
        note.textContent = "Selected. Press Ctrl+C or ⌘C to copy.";
      }
    });
    addEventListener("pagehide", () => {
      text.textContent = "Shown once, and removed.";
    });
  }

  // A message over a list goes after a while, because the list shows the change too.
  const flash = document.getElementById("flash");
  const messageMs = 6_000;
  const undoMs = 10_000;
  function removeLater() {
    const done = flash.querySelector(".flash.done");
    if (!done) return;
    const remove = () => {
      if (!done.contains(document.activeElement)) return done.remove();
      done.addEventListener("focusout", () => setTimeout(remove), { once: true });
    };
    setTimeout(remove, done.querySelector("button, a") ? undoMs : messageMs);
  }
  if (flash && document.querySelector("#board, [data-live]")) {
    new MutationObserver(removeLater).observe(flash, { childList: true });
    removeLater();
  }

  // A second press on a slow line would make a second appointment, or replace the page that shows the key.
  const pressed = new Set();
  addEventListener("submit", (event) => {
    if (event.defaultPrevented || event.target.method !== "post") return;
    const form = event.target;
    if (pressed.has(form)) event.preventDefault();
    pressed.add(form);
    setTimeout(() => pressed.delete(form), timeoutMs); // the user may have stopped it: it can be sent again
  });
  addEventListener("pageshow", () => pressed.clear()); // going back, it can be sent again

  /*
   * A session may end while the user fills in a form, the server may be out of reach when it is sent, and a board loads again
   * when its queues change. The input is kept in this tab only, is restored when the same account signs in again, goes back
   * from the browser's error page or the board is there again, and is deleted in every other case.
   */
  const key = "typed";
  const keepMs = 15 * 60_000;
  const forget = () => sessionStorage.removeItem(key);
  const known = JSON.parse(sessionStorage.getItem(key) ?? "null");
  const isFresh = known !== null && Date.now() - known.at < keepMs;

  if (account === undefined) {
    // Other pages without an account, such as a display, say nothing of the session.
    const isSignIn = document.querySelector('form[action$="/sign-in"]') !== null;
    if (isFresh && isSignIn)
      sessionStorage.setItem(key, JSON.stringify({ ...known, wasSignedOut: true }));
    setTimeout(forget, keepMs);
    return;
  }
  forget();
  // Each page of the dashboard deletes the input, so no such page has been between.
  const isBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  const isWanted = known?.wasSignedOut || known?.isReload || isBack;
  if (isFresh && known.account === account && isWanted) {
    const why = known.wasSignedOut ? "You had to sign in again." : "The page was loaded again.";
    const { pathname } = new URL(known.page, location.href);
    // The response may have been lost alone.
    const advice =
      isBack && known.isSent ? " Check whether it was done before you send it again." : "";
    if (location.pathname === pathname) bringBack(known.fields, why, advice);
    else if (location.pathname === known.path) {
      // That page is a new one, not one that the user goes back to.
      sessionStorage.setItem(key, JSON.stringify({ ...known, isReload: true }));
      location.replace(known.page);
    }
  }

  function bringBack(fields, why, advice) {
    const found = fields
      .map((field) => ({ ...field, element: document.getElementById(field.id) }))
      .filter(({ element }) => element?.form?.method === "post");
    for (const { element, ...typed } of found) putBack(element, typed);
    if (found.length === 0) return;
    found[0].element.scrollIntoView({ block: "center" });
    say("warning", `${why} Your input is back in the form.${advice}`);
  }

  const sent = new WeakSet();
  let isSignOut = false;
  addEventListener("submit", ({ target: form, defaultPrevented }) => {
    if (!defaultPrevented) sent.add(form); // the page that sends a form by script stays, with its input
    if (new URL(form.action).pathname.endsWith("/sign-out")) isSignOut = true;
  });

  const isKept = ({ id, name, type }) =>
    id && name && !["hidden", "password", "submit", "button"].includes(type);
  const fieldsOf = (form) => [...form.elements].filter(isKept);
  const isTyped = (field) => {
    if (!field.options) {
      return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
    }
    const suggested = [...field.options].findIndex(({ defaultSelected }) => defaultSelected);
    return field.selectedIndex !== Math.max(0, suggested);
  };

  // The browser shows a page as it was, with its input. What is kept of it could outlive the sign-out.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) forget();
  });
  addEventListener("pagehide", () => {
    if (isSignOut) return;
    const forms = [...document.querySelectorAll('form[method="post"]')].filter(
      (form) => sent.has(form) || fieldsOf(form).some(isTyped),
    );
    const fields = forms.flatMap(fieldsOf).map(typedIn);
    if (fields.length === 0) return;
    const isReload = "reload" in document.body.dataset;
    // The form of a card is also on a page of its own, and a refused form is at another path than before.
    const pages = forms.map((form) => form.closest("dialog[open], form[data-page]")?.dataset.page);
    const page = pages.find(Boolean) ?? location.href;
    const isSent = forms.some((form) => sent.has(form));
    const { pathname: path } = location;
    const typed = { account, path, page, at: Date.now(), fields, isReload, isSent };
    sessionStorage.setItem(key, JSON.stringify(typed));
  });
})();
