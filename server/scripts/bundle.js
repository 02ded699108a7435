/*
 * Bundles the command `queue-api` into a few files, because loading 400 small ones takes most of the time that a
 * command needs to start. Only the sources of this package are in the bundle; its dependencies stay packages.
 * The files are two folders deep, like the sources that find assets by their own path.
 */
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { dependencies, peerDependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
const packages = Object.keys({ ...dependencies, ...peerDependencies });
const folder = join(root, "dist/command");

rmSync(folder, { recursive: true, force: true });
const build = await rolldown({
  input: {
    main: join(root, "src/cli/main.ts"),
    "writer-thread": join(root, "src/store/sqlite/writer-thread.ts"),
  },
  platform: "node",
  external: packages.map((name) => new RegExp(`^${name}(/|$)`)),
});
await build.write({
  dir: folder,
  sourcemap: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
});
await build.close();
