import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { document } from "../contract/document.js";
import { repository } from "./workspace.js";

// What callers build on is in the repository, so that a review sees each change: `npm run api:update` writes it.

test("the OpenAPI document is the committed one", async () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(join(repository, "contract/openapi.json"));
});

test.each(["sdk", "testkit"])(
  "the declarations of the package in %s are the committed ones",
  async (folder) => {
    const built = join(repository, folder, "dist/esm");
    const names = (await readdir(built)).filter((name) => name.endsWith(".d.ts")).sort();
    const texts = names.map(
      async (name) => `// ${name}\n${await readFile(join(built, name), "utf8")}`,
    );
    const all = (await Promise.all(texts)).join("\n");
    await expect(all).toMatchFileSnapshot(join(repository, folder, "api/declarations.txt"));
  },
);
