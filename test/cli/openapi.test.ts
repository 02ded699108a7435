import { openApiDocument } from "@queue-api/contract";
import { expect, it } from "vitest";
import { runHere } from "./command.js";

it("openapi prints the OpenAPI document of the service, with and without --json", async () => {
  const baseUrl = "https://queue.example";
  const plain = await runHere(["openapi"], "", { BASE_URL: baseUrl });
  expect(plain).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(plain.stdout)).toEqual(
    JSON.parse(JSON.stringify(openApiDocument({ baseUrl, docsUrl: `${baseUrl}/docs` }))),
  );
  const asJson = await runHere(["openapi", "--json"], "", { BASE_URL: baseUrl });
  expect(asJson.stdout).toBe(plain.stdout);
});
