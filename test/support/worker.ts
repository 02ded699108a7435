import { builtinEnvironments, type Environment } from "vitest/runtime";

declare global {
  /** What ends with the process of a worker, for example a browser that its test files share. */
  var endOfWorker: (() => Promise<unknown>)[] | undefined;
}

/** Node, where test files of one worker can share what takes long to start. */
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
