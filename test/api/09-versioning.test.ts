import { expect, test } from "vitest";
import { expectRefusal } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();

test.each(["/", "/me", "/v2/me", "/V1/me", "/v1.1/me", "//v1/me", "/index.html"])(
  "the major version is required in the path exactly: %s does not exist",
  async (path) => {
    const clinic = await service.clinic();
    expectRefusal(await clinic.client().get(path), 404, "not_found");
  },
);

test("version 1.1.0 is the version that the service reports", async () => {
  const index = await service.stranger().get<{ version: string; apiVersion: string }>("/v1");
  expect(index.data).toMatchObject({ version: "1.1.0", apiVersion: "v1" });
  const { json } = await service.stranger().get("/v1/openapi.json");
  expect(json).toMatchObject({ info: { version: "1.1.0" } });
});
