import { onTestFinished, vi } from "vitest";

/** Holds the time, which a test advances, until the test ends. Begins at 0. Randomness is always in the middle. */
export function holdTime(): void {
  if (vi.isFakeTimers()) return;
  vi.useFakeTimers({
    now: Date.UTC(2026, 10, 21, 4, 30),
    toFake: ["setTimeout", "clearTimeout", "performance", "Date"],
    shouldClearNativeTimers: true,
  });
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
  onTestFinished(() => {
    vi.useRealTimers();
    random.mockRestore();
  });
}

/** Waits until all ready callbacks have run. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
