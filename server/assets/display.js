/*
 * The display in a waiting room: follows its events for as long as it is on, sounds a chime for each call, and
 * says so when it does not show how things stand now.
 */
(() => {
  const display = document.getElementById("display");
  const lost = document.getElementById("lost");
  const clock = document.getElementById("clock");
  const sound = document.getElementById("sound");
  const events = new URL(display.dataset.events, location.href);

  /** Without a sign of life for so long, a connection is dead, whatever the browser thinks of it. */
  const patienceMs = 8_000;
  const firstRetryMs = 500;
  const longestRetryMs = 8_000;

  const time = new Intl.DateTimeFormat("en-GB", {
    timeZone: clock.dataset.zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });

  let source = null;
  let silence = 0;
  let waiting = 0;
  let retryMs = firstRetryMs;
  let lastSeen = Date.now();

  function connect() {
    clearTimeout(waiting);
    source?.close();
    source = new EventSource(events);
    heard();
    source.addEventListener("live", () => {
      heard();
      retryMs = firstRetryMs;
      lost.hidden = true;
    });
    source.addEventListener("beat", heard);
    source.addEventListener("patch", (event) => {
      heard();
      change(event.data);
      events.searchParams.set("snapshot", event.lastEventId);
    });
    source.addEventListener("reload", () => location.reload());
    source.addEventListener("rest", lose);
    source.onerror = lose;
  }

  function heard() {
    lastSeen = Date.now();
    clearTimeout(silence);
    silence = setTimeout(lose, patienceMs);
  }

  function lose() {
    clearTimeout(silence);
    clearTimeout(waiting);
    source?.close();
    source = null;
    const text = `Not live since ${time.format(lastSeen)}. Please listen for your number.`;
    if (lost.hidden || lost.textContent !== text) lost.textContent = text;
    lost.hidden = false;
    waiting = setTimeout(tryAgain, retryMs);
    retryMs = Math.min(retryMs * 2, longestRetryMs);
  }

  /** A link that works no more leads to the page that says so. */
  async function tryAgain() {
    const answer = await fetch(location.href, {
      method: "HEAD",
      signal: AbortSignal.timeout(patienceMs),
    }).catch(() => null);
    if (answer?.status === 404) location.reload();
    else if (answer?.ok) connect();
    else lose();
  }

  const calls = () => [...display.querySelectorAll("[data-call]")];
  let known = new Set(calls().map(({ dataset }) => dataset.call));

  function change(pieces) {
    const { body } = new DOMParser().parseFromString(pieces, "text/html");
    for (const piece of body.children) {
      // This display may show some of the queues only.
      document.getElementById(piece.id)?.replaceChildren(...piece.childNodes);
    }
    const shown = calls();
    const fresh = shown.filter(({ dataset }) => !known.has(dataset.call));
    // Whoever was called is not called anew when somebody before them is done.
    known = new Set([...known, ...shown.map(({ dataset }) => dataset.call)].slice(-1_000));
    for (const one of fresh) one.classList.add("new");
    if (fresh.length > 0) chime();
  }

  /** Browsers let a page sound only after somebody has touched it, unless they are told to. */
  let audio = null;
  function turnOn() {
    audio ??= new AudioContext();
    audio.resume().then(showSound, showSound);
  }
  function showSound() {
    sound.hidden = audio?.state === "running";
  }
  addEventListener("pointerdown", turnOn);
  addEventListener("keydown", turnOn);
  if ("AudioContext" in window) {
    audio = new AudioContext();
    audio.addEventListener("statechange", showSound);
    showSound();
  }

  /** Two notes, a third apart. */
  function chime() {
    display.dataset.chimes = Number(display.dataset.chimes ?? 0) + 1;
    if (audio?.state !== "running") return;
    for (const [frequency, after] of [
      [659.3, 0],
      [523.3, 0.35],
    ]) {
      const [tone, volume] = [audio.createOscillator(), audio.createGain()];
      const begin = audio.currentTime + after;
      tone.frequency.value = frequency;
      volume.gain.setValueAtTime(0.0001, begin);
      volume.gain.exponentialRampToValueAtTime(0.4, begin + 0.03);
      volume.gain.exponentialRampToValueAtTime(0.0001, begin + 0.9);
      tone.connect(volume).connect(audio.destination);
      tone.start(begin);
      tone.stop(begin + 1);
    }
  }

  /** A screen that nobody touches would go dark. */
  async function stayOn() {
    await navigator.wakeLock?.request("screen").catch(() => {});
  }
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) stayOn();
  });
  stayOn();

  const showTime = () => {
    clock.textContent = time.format(Date.now());
  };
  setInterval(showTime, 1_000);
  showTime();

  addEventListener("online", connect);
  addEventListener("offline", lose);
  connect();
})();
