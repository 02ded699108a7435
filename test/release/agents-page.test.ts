import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { published, repository } from "./workspace.js";

test.each(published)(
  "AGENTS.md of the package in %s is one page with all that a first integration needs",
  async (folder) => {
    const text = await readFile(join(repository, folder, "AGENTS.md"), "utf8");
    const [title, about] = text.split("\n\n");
    expect(title).toBe(`# @queue-api/${folder}`);
    expect(about).toMatch(/^[A-Z].*\.$/s);
    const sections = text.split(/^## /m).slice(1);
    const titles = sections.map((section) => section.split("\n")[0]);
    expect(titles).toEqual(["Install", "First call", "First test", "Five mistakes", "More"]);
    const [install = "", call = "", first = "", mistakes = ""] = sections;
    expect(install).toMatch(new RegExp(`^npm install .*@queue-api/${folder}\\b`, "m"));
    expect(install).toMatch(new RegExp(`npm pack .*--workspace ${folder}\\b`));
    expect(call).toContain("new QueueApi()");
    expect(first).toContain("mockQueueApi()");
    expect(mistakes.match(/^\d\. \*\*/gm)).toHaveLength(5);
    expect(text.split("\n").length).toBeLessThan(120);
    expect(text).not.toMatch(/\]\((?!https?:)/); // the package does not contain the documents
  },
);
