import { run } from "./run.js";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0); // the reader, such as `head`, has seen enough
  throw error;
});

process.exitCode = await run(process.argv.slice(2));
