/*
 * Keeps the `data-live` part of a page up to date, for a page without a stream. The part is replaced only if it differs,
 * and never while the user is using it.
 */
(() => {
  const everyMs = 3_000;
  const patienceMs = 8_000;
  const sign = document.getElementById("live");

  function show(text, isLost) {
    if (sign.textContent === text) return; // an equal text would be read out again
    sign.hidden = false;
    sign.classList.toggle("lost", isLost);
    sign.textContent = text;
  }

  const part = () => document.querySelector("[data-live]");
  const isInUse = () =>
    part().querySelector("details[open], .htmx-request") !== null ||
    (part().contains(document.activeElement) && document.activeElement.matches("input, select"));

  async function refresh() {
    const answer = await fetch(location.href, {
      redirect: "manual",
      headers: { "HX-Request": "true" },
      signal: AbortSignal.timeout(patienceMs),
    }).catch(() => null);
    if (answer?.status === 401 || answer?.type === "opaqueredirect") return location.reload();
    if (!answer?.ok) return show("Connection lost. Trying again…", true);
    const text = await answer.text().catch(() => null);
    if (text === null) return;
    const fresh = new DOMParser().parseFromString(text, "text/html");
    show("Live", false);
    if (fresh.title !== document.title) return location.reload(); // another day has begun
    const now = fresh.getElementById(part().id);
    if (!now || isInUse() || now.innerHTML === part().innerHTML) return;
    const { name, value, href } = part().contains(document.activeElement)
      ? document.activeElement
      : {};
    part().replaceChildren(...now.childNodes);
    htmx.process(part());
    const same = (one) => (href ? one.href === href : one.name === name && one.value === value);
    if (name || href) [...part().querySelectorAll("a, button")].find(same)?.focus();
  }

  async function go() {
    if (!document.hidden) await refresh().catch(() => {});
    setTimeout(go, everyMs);
  }
  go();
})();
