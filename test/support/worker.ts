import { builtinEnvironments, type Environment } from "vitest/runtime";

declare global {
  /** Functions to call at the end of a worker, for example to close a browser that its test files share. */
  var endOfWorker: (() => Promise<unknown>)[] | undefined;
}

/** The Node environment. The test files of a worker can share slow resources. */
export default {
  name: "worker",
  viteEnvironment: "ssr",
  async setup(global, options) {
    const node = await builtinEnvironments.node.setup(global, options);
    return {
      async teardown() {
        for (const end of globalThis.endOfWorker ?? []) await end();
        await node.teardown(global);
      },
    };
  },
} satisfies Environment;
