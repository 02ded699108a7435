import { expect, test } from "vitest";
import { Project } from "../support/project.js";

test("the packed server includes the pages of docUrl", async () => {
  const project = await Project.make({ workspaces: ["contract", "server"] });
  const program = `
    import { openStore, systemRandom, readConfig, startServer, systemClock } from "@queue-api/server";
    const store = await openStore("memory:", { clock: systemClock, random: systemRandom });
    const server = await startServer({ store, config: { ...readConfig({}), port: 0 } });
    const page = await fetch(server.url + "/docs/errors");
    console.log(page.status, (await page.text()).includes('id="queue_paused"'));
    await server.close();
    await store.close();`;
  const evaluated = ["--input-type=module", "--eval", program];
  expect(await project.run(process.execPath, evaluated)).toBe("200 true\n");
});
