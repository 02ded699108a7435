import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { wideKey } from "../support/seed.js";
import { testService } from "../support/service.js";
import { beside, missing, run, workFolder } from "./toolchain.js";

const none = missing("schemathesis", { python3: "--version" });
const leastCases = 2_000;

it.skipIf(none)(
  `schemathesis reports no issues in at least ${leastCases} requests, in all phases${none ? ` (${none})` : ""}`,
  async () => {
    const folder = await workFolder();
    const service = await testService();
    const named = (noun: string, at: number) => ({ ref: `${noun}${at}`, name: `Customer ${at}` });
    const many = Array.from({ length: 20 }, (_, at) => at);
    const clinic = await service.clinic({
      queues: [{ ref: "front", name: "Front desk", entries: many.map((at) => named("entry", at)) }],
      appointments: many.map((at) => ({ ref: `appointment${at}`, slotTime: "10:30" })),
      keys: [wideKey],
    });
    const ids = {
      queueId: [clinic.queue()],
      serviceId: [clinic.service()],
      entryId: many.map((at) => clinic.entry(`entry${at}`)),
      appointmentId: many.map((at) => clinic.appointment(`appointment${at}`)),
    };
    const document = join(folder, "openapi.json");
    const served = await service.stranger().get("/v1/openapi.json");
    await writeFile(document, served.text);

    await run("python3", ["-m", "venv", "venv"], folder);
    const requirements = beside("schemathesis/requirements.txt");
    await run("venv/bin/python", ["-m", "pip", "install", "-q", "-r", requirements], folder);
    const config = ["--config-file", beside("schemathesis/schemathesis.toml")];
    const target = [document, "--url", service.url, "--seed", "1", "--max-examples", "400"];
    const args = [...config, "run", ...target, "--warnings", "off"];
    const output = await run("venv/bin/schemathesis", args, folder, {
      API_KEY: clinic.key(),
      IDS: JSON.stringify(ids),
      SCHEMATHESIS_HOOKS: beside("schemathesis/hooks.py"),
    });

    expect(output).toContain("No issues found");
    for (const phase of ["Examples", "Coverage", "Fuzzing", "Stateful"]) {
      expect(output).toMatch(new RegExp(`✅ +${phase}$`, "m"));
    }
    const [cases = "", generated, passed] = /(\d+) generated, (\d+) passed/.exec(output) ?? [];
    console.log(`schemathesis: ${cases}`);
    expect(Number(generated)).toBeGreaterThanOrEqual(leastCases);
    expect(passed).toBe(generated);
  },
);
