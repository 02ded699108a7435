/*
 * The display in a waiting room: follows its page, sounds a chime for each call, and
 * shows a message when it is not live.
 */
(() => {
  const display = document.getElementById("display");
  const lost = document.getElementById("lost");
  const clock = document.getElementById("clock");
  const sound = document.getElementById("sound");

  const time = new Intl.DateTimeFormat("en-GB", {
    timeZone: clock.dataset.zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });

  /** When the server last answered, in milliseconds since 1970. */
  let heardAt = Date.now();

  follow(display, 1, {
    show: change,
    onState(state) {
      if (state === "lost") return showLost();
      if (state !== "live") return;
      heardAt = Date.now();
      if (lost.hidden) return;
      lost.hidden = true;
      fit();
    },
  });

  function showLost() {
    const text = `Not live since ${time.format(heardAt)}. Please listen for your token.`;
    if (lost.textContent !== text) lost.textContent = text;
    lost.hidden = false;
    fit();
  }

  /** How long a call stands out. */
  const newMs = 30_000;
  const calls = () => [...display.querySelectorAll("[data-call]")];
  let known = new Set(calls().map(({ dataset }) => dataset.call));

  function change(now) {
    replaceContent(display, now);
    const shown = calls();
    const fresh = shown.filter(({ dataset }) => !known.has(dataset.call));
    // A call that leaves the page and returns to it is not new: it sounds no second chime.
    known = new Set([...known, ...shown.map(({ dataset }) => dataset.call)].slice(-1_000));
    for (const one of fresh) {
      one.classList.add("new");
      setTimeout(() => one.classList.remove("new"), newMs);
    }
    if (fresh.length > 0) chime();
    fit();
  }

  /** Makes the type as small as it takes to show each token whole, and all queues: nobody scrolls a screen on a wall. */
  function fit() {
    const { style, dataset } = document.body;
    const root = document.documentElement;
    for (let scale = (dataset.size ?? 100) / 100; scale > 0.2; scale -= 0.05) {
      style.setProperty("--scale", scale);
      const isCut = [...display.querySelectorAll(".called li")].some(isTooWide);
      // A phone is held in the hand: there the page is as high as it has to be.
      const isLow = innerWidth < 900 || root.scrollHeight <= root.clientHeight;
      if (!isCut && !isTooWide(root) && isLow) return;
    }
  }
  const isTooWide = ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth;
  addEventListener("resize", fit);
  document.fonts.ready.then(fit);

  /** Browsers play sound only after a tap or a key press, unless they are configured to allow it. */
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

  /** Keeps the screen on: without input, it would turn off. */
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
})();
