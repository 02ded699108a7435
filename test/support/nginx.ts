import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OnTestFinishedHandler, vi } from "vitest";
import { freePort } from "./project.js";

/** Whether this machine has nginx. Otherwise, the tests that need it are skipped, with the reason in their titles. */
export const hasNginx = spawnSync("nginx", ["-v"]).status === 0;
if (!hasNginx) console.warn("SKIPPED: the tests behind nginx. Install nginx to run them.");

type AtEnd = (end: OnTestFinishedHandler) => void;

/** The documented configuration for these instances, without TLS. */
async function configuration(port: number, instances: readonly string[]): Promise<string> {
  const text = await readFile(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const [, block = ""] = /^```nginx\n(.*?)^```$/ms.exec(text) ?? [];
  const addresses = [...instances];
  return block
    .replaceAll(/server 10\.0\.0\.1\d:3000/g, () => `server ${addresses.shift()}`)
    .replace("listen 443 ssl", `listen 127.0.0.1:${port}`)
    .replace(/^ *http2 on;.*\n/m, "");
}

/** Runs nginx with the documented configuration in front of two instances (host and port). Returns its address. */
export async function nginx(instances: readonly string[], atEnd: AtEnd): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "queue-api-nginx-"));
  atEnd(() => rm(folder, { recursive: true }));
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = join(folder, "nginx.conf");
  await writeFile(
    file,
    `daemon off; pid ${folder}/pid; error_log stderr; events {}
     http { access_log off; ${temporary.join(" ")} ${await configuration(port, instances)} }`,
  );
  const child = spawn("nginx", ["-p", folder, "-c", file], { stdio: "ignore" });
  atEnd(async () => {
    const exited = once(child, "exit");
    if (child.kill("SIGQUIT")) await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: 30_000 });
  return url;
}
