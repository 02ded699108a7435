import type * as kit from "@queue-api/testkit/msw";
import type { MockOptions, QueueApiMock } from "./mock.cjs";

export * from "@queue-api/testkit/msw";
export type { MockOptions, QueueApiMock } from "./mock.cjs";

/** @deprecated Use `MswQueueApiMock` of `@queue-api/testkit/msw`. */
export interface MswQueueApiMock<Seed extends kit.SeedInput = kit.SeedInput>
  extends QueueApiMock<Seed> {
  readonly handlers: kit.MswQueueApiMock["handlers"];
}

/** @deprecated Import `mockQueueApi` from `@queue-api/testkit/msw`. */
export declare function mockQueueApi<const Seed extends kit.SeedInput = kit.DefaultSeed>(
  options?: MockOptions<Seed>,
): MswQueueApiMock<Seed>;
