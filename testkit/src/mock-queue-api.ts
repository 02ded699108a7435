import { anything, type Checks, checkOptions, ofType } from "./check-options.js";
import { type DefaultSeed, defaultSeed } from "./default-seed.js";
import { startMock } from "./mock.js";
import type { MockOptions, QueueApiMock } from "./mock-types.js";
import type { AnySeed } from "./seed.js";

const mockOptions: Checks<MockOptions> = {
  seed: anything,
  clock: anything,
  randomSeed: ofType("string"),
  baseUrl: (value) =>
    /^https?:\/\//i.test(String(value)) && URL.canParse(String(value))
      ? null
      : "must be an address",
};

/**
 * Starts an independent mock. Throws {@link InvalidSeedError} if the seed is wrong, and RangeError for an unknown
 * option or a value out of range.
 */
export function mockQueueApi<const Seed extends AnySeed = DefaultSeed>(
  options: MockOptions<Seed> = {},
): QueueApiMock<Seed> {
  checkOptions(options, mockOptions);
  const { seed = defaultSeed, ...others } = options;
  return startMock({ ...others, seed });
}
