#!/usr/bin/env node
// Committed, so that npm links the command at install time, before anything is built.
import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  console.error("queue-api: not built yet; run: npm run build");
  process.exitCode = 1;
}
