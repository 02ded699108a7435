import { createServer } from "node:http";
import type { Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { listen } from "../support/listen.js";
import { Project } from "../support/project.js";
import { both, failing, imported, proxied, required } from "./programs.js";

const platform = `${process.platform}-${process.arch}`;
const deno = ["run", "--allow-net", "--allow-read", "--allow-env"];

/**
 * The runtimes beside Node, whose versions the workflow runs all tests on, as package aliases. They need no install
 * script. Bun 1.4 has other network errors than 1.1.
 */
const runtimes = [
  { name: "bun-1.1", of: `@oven/bun-${platform}@1.1`, binary: "bin/bun", args: [] },
  { name: "bun-1", of: `@oven/bun-${platform}@1`, binary: "bin/bun", args: [] },
  { name: "deno-2", of: `@deno/${platform}-glibc@2`, binary: "deno", args: deno },
];

const packages = runtimes.map(({ name, of }) => `${name}@npm:${of}`);
const installed = await Project.make({ packages });

describe.each(runtimes)("on $of", ({ name: runtime, binary, args }) => {
  const output = async (program: string, env = {}) => {
    const path = installed.inPackage(runtime, binary);
    return (await installed.run(path, [...args, program], env)).trim();
  };

  test.each([
    ["required.cjs", required],
    ["imported.mjs", imported],
    ["both.mjs", both],
    ["failing.mjs", failing],
  ])("%s works", async (name, text) => {
    const program = await installed.write(name, text);
    expect(await output(program)).toBe("works");
  });

  test("uses the proxy of the environment", async () => {
    const requested: (string | undefined)[] = [];
    const proxy = createServer(({ url }, response) => {
      requested.push(url);
      response.setHeader("Content-Type", "application/json").end('{ "data": [] }');
    });
    proxy.on("connect", ({ url }, socket: Socket) => {
      requested.push(url); // some request a tunnel even without TLS; the tunnel leads to this proxy
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      proxy.emit("connection", socket);
    });
    const address = await listen(proxy);
    onTestFinished(() => void proxy.close());
    onTestFinished(() => proxy.closeAllConnections());
    const env = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: address, http_proxy: address };
    const program = await installed.write("proxied.mjs", proxied);
    expect(await output(program, env)).toBe("works");
    expect(requested[0]).toMatch(/queue\.invalid/);
  });
});
