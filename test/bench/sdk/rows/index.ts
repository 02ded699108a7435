import type { SdkRow } from "../row.js";
import { cpu } from "./cpu.js";
import { importTime } from "./import-time.js";
import { installedSize } from "./installed-size.js";
import { iteration } from "./iteration.js";
import { latency } from "./latency.js";
import { throughput } from "./throughput.js";

/** Every row of the SDK's table, in its order. */
export const sdkRows: readonly SdkRow[] = [
  cpu,
  latency,
  throughput,
  importTime,
  iteration,
  installedSize,
];
