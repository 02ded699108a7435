import { run } from "./run.js";

/** The reader of the output, such as `head`, has seen enough. That ends a command as SIGTERM does. */
let isUnread = false;

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  if (isUnread) return; // each further line fails the same way
  isUnread = true;
  if (process.listenerCount("SIGTERM") === 0) process.exit(0); // it leaves nothing behind
  process.emit("SIGTERM");
});

process.exitCode = await run(process.argv.slice(2));
