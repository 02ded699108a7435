import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { matrix } from "../support/matrix.js";
import { Project } from "../support/project.js";
import { customer, FakeService } from "./fake-service.js";

/** Versions of Next.js, the newest last, each with a compatible version of React. */
const versions = [
  { next: "14.2.35", react: "18.3.1" },
  { next: "15.5.29", react: "19.3.1" },
  { next: "16.4.6", react: "19.3.1" },
];

describe.each(matrix(versions))("in Next.js $next", ({ next, react }) => {
  let service: FakeService;
  let project: Project;
  let server: Awaited<ReturnType<Project["serve"]>>;

  beforeAll(async () => {
    service = await FakeService.start();
    const copyOf = new URL("projects/next", import.meta.url);
    const packages = [`next@${next}`, `react@${react}`, `react-dom@${react}`];
    project = await Project.make({ copyOf, packages });
    await project.bin("next", ["build"]); // without a key and a URL
    const env = { QUEUE_API_KEY: "svc_live_x_y", QUEUE_API_BASE_URL: service.url };
    server = await project.serve("next", (port) => ["start", "-p", `${port}`], env);
  }, 600_000);
  afterAll(() => server?.stop());

  const shown = async (): Promise<number> => {
    const page = await (await fetch(server.url)).text();
    return Number(/waiting:(\d+)/.exec(page)?.[1]);
  };

  test("a server component shows the current queue", async () => {
    const first = await shown();
    expect(await shown()).toBeGreaterThan(first);
  });

  test("a route handler responds with the current queue", async () => {
    const read = async () =>
      (await (await fetch(`${server.url}/api/queue`)).json()) as { waiting: number };
    const first = await read();
    expect(first).toMatchObject({ first: customer.name });
    expect((await read()).waiting).toBeGreaterThan(first.waiting);
  });

  test("a server action reads the current queue", async () => {
    const page = await (await fetch(server.url)).text();
    const [, action = ""] = /name="(\$ACTION_ID_\w+)"/.exec(page) ?? [];
    const submitted = async () => {
      const body = new FormData();
      body.set(action, "");
      const headers = { Origin: server.url };
      const answer = await fetch(server.url, {
        method: "POST",
        body,
        headers,
        redirect: "manual",
      });
      return Number(/waiting=(\d+)/.exec(answer.headers.get("Location") ?? "")?.[1]);
    };
    const first = await submitted();
    expect(await submitted()).toBeGreaterThan(first);
  });

  test("data that may be old comes from Next's cache, if fetchOptions say so", async () => {
    const read = async () =>
      (await (await fetch(`${server.url}/api/services`)).json()) as { names: string[] };
    const before = service.paths.filter((path) => path === "/v1/services").length;
    for (let time = 0; time < 3; time++) expect(await read()).toEqual({ names: ["Consultation"] });
    const asked = service.paths.filter((path) => path === "/v1/services").length - before;
    expect(asked).toBeLessThanOrEqual(1);
  });

  test("no file contains data of a response", async () => {
    await shown();
    expect(await project.filesWith(customer.name)).toEqual([]);
    expect(await project.filesWith(customer.phone)).toEqual([]);
  });
});
