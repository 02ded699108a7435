import { run } from "./run.js";

/** Whether the reader of the output, such as `head`, has closed it. This ends a command as SIGTERM does. */
let isClosed = false;

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") {
    process.stderr.write(`queue-api: the output cannot be written (${error.code})\n`);
    process.exit(1);
  }
  if (isClosed) return; // each further line fails the same way
  isClosed = true;
  if (process.listenerCount("SIGTERM") === 0) process.exit(0); // the command has nothing to clean up
  process.emit("SIGTERM");
});

process.exitCode = await run(process.argv.slice(2));
