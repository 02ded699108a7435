import { afterAll, expect, test } from "vitest";
import { matrix } from "../support/matrix.js";
import { Project } from "./project.js";

const projects: Project[] = [];
afterAll(async () => {
  for (const project of projects) await project.remove();
});

const runners = [
  { name: "jest-cjs", packages: ["jest@30.5.2"], bin: "jest", args: [], env: {} },
  {
    name: "jest-esm",
    packages: ["jest@30.5.2"],
    bin: "jest",
    args: [],
    env: { NODE_OPTIONS: "--experimental-vm-modules" },
  },
  { name: "vitest", packages: ["vitest@4.1.12"], bin: "vitest", args: ["run"], env: {} },
];

test.each(matrix(runners))(
  "a test in $name replaces fetch for the SDK",
  async ({ name, packages, bin, args, env }) => {
    const project = await Project.make(name, packages);
    projects.push(project);
    expect(await project.bin(bin, args, env)).toMatch(/1 passed/);
  },
  300_000,
);
