import { expect, test } from "vitest";
import { Project } from "../support/project.js";
import { fakeService } from "./fake-service.js";

const service = await fakeService();
const packages = ["workerd@1.20261117.1", "esbuild@0.28.2"];
const copyOf = new URL("projects/workerd", import.meta.url);
const project = await Project.make({ copyOf, packages });
await project.bin("esbuild", [
  ...["worker.mjs", "--bundle", "--format=esm", "--platform=neutral", "--outfile=bundle.mjs"],
]);

const config = (date: string, port: number) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "bundle.mjs")],
  compatibilityDate = "${date}",
  bindings = [(name = "FAKE_SERVICE", text = "${service.url}")],
);`;

test.each([
  ["before it supports the cache mode of a request", "2024-09-01"],
  ["since it supports the cache mode of a request", "2026-01-01"],
])("in workerd: %s, each call reaches the service", async (_what, date) => {
  const server = await project.serve("workerd", async (port) => {
    await project.write("config.capnp", config(date, port));
    return ["serve", "config.capnp"];
  });
  try {
    const read = async () => (await (await fetch(server.url)).json()) as { waiting: number };
    const { waiting } = await read();
    expect((await read()).waiting).toBeGreaterThan(waiting);
  } finally {
    await server.stop();
  }
});
