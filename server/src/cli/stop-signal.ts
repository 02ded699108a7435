const signals = ["SIGTERM", "SIGINT"] as const;

/** Waits for the first signal to stop. A second one ends the process at once, with exit code 1. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = () => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    for (const signal of signals) process.on(signal, onSignal);
  });
}
