import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { matrix } from "../support/matrix.js";
import { Project } from "../support/project.js";
import { customer, fakeService } from "./fake-service.js";

/** Versions of Next.js, the newest last, each with a compatible version of React. */
const versions = [
  { next: "14.2.35", react: "18.3.1" },
  { next: "15.5.29", react: "19.3.1" },
  { next: "16.4.6", react: "19.3.1" },
];

const service = await fakeService();

describe.each(matrix(versions))("in Next.js $next", ({ next, react }) => {
  let project: Project;
  let server: Awaited<ReturnType<Project["serve"]>>;

  beforeAll(async () => {
    const copyOf = new URL("projects/next", import.meta.url);
    const packages = [`next@${next}`, `react@${react}`, `react-dom@${react}`];
    project = await Project.make({ copyOf, packages });
    await project.bin("next", ["build"]); // without a key and a URL
    const env = { QUEUE_API_KEY: "svc_live_x_y", QUEUE_API_BASE_URL: service.url };
    server = await project.serve("next", (port) => ["start", "-p", `${port}`], env);
  }, 600_000);
  afterAll(() => server?.stop());

  const page = async () => (await fetch(server.url)).text();
  const route = async (path: string) =>
    JSON.parse(await (await fetch(`${server.url}/api/${path}`)).text());

  test.each<[string, () => Promise<string | undefined>]>([
    ["a server component", async () => /waiting:(\d+)/.exec(await page())?.[1]],
    ["a route handler", async () => (await route("queue")).waiting],
    [
      "a server action",
      async () => {
        const [, action = ""] = /name="(\$ACTION_ID_\w+)"/.exec(await page()) ?? [];
        const body = new FormData();
        body.set(action, "");
        const headers = { Origin: server.url };
        const submitted = { method: "POST", body, headers, redirect: "manual" } as const;
        const location = (await fetch(server.url, submitted)).headers.get("Location") ?? "";
        return /waiting=(\d+)/.exec(location)?.[1];
      },
    ],
  ])("%s reads the current queue", async (_, waiting) => {
    const first = Number(await waiting());
    expect(Number(await waiting())).toBeGreaterThan(first);
  });

  test("data that may be old comes from Next's cache, if fetchOptions say so", async () => {
    const asked = () => service.paths.filter((path) => path === "/v1/services").length;
    const before = asked();
    for (let time = 0; time < 3; time++) {
      expect(await route("services")).toEqual({ names: ["Consultation"] });
    }
    expect(asked() - before).toBeLessThanOrEqual(1);
  });

  test("no file contains data of a response", async () => {
    expect(await page()).toContain(customer.name);
    expect(await project.filesWith(customer.name)).toEqual([]);
    expect(await project.filesWith(customer.phone)).toEqual([]);
  });
});
