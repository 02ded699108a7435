import { mkdtemp, open, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./statistics.js";

/** One line on what the numbers were measured with. */
export async function machine(): Promise<string> {
  const [first, ...others] = cpus();
  const processor = `${others.length + 1} × ${first?.model.trim() ?? "unknown processor"}`;
  const disk = `${(await durableWriteMs()).toFixed(2)} ms for a durable write`;
  return `Node ${process.versions.node}, ${processor}, ${disk}`;
}

/** How long the disk takes to keep a page: creations wait for it. */
async function durableWriteMs(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-bench-"));
  const file = await open(join(folder, "probe"), "w");
  try {
    const page = Buffer.alloc(4096);
    const times: number[] = [];
    for (let write = 0; write < 50; write++) {
      const began = performance.now();
      await file.write(page);
      await file.datasync();
      times.push(performance.now() - began);
    }
    return median(times);
  } finally {
    await file.close();
    await rm(folder, { recursive: true });
  }
}
