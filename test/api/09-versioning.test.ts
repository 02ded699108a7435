import { describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();

describe("the major version", () => {
  test("is in every response, also in errors and on unknown paths", async () => {
    const clinic = await service.clinic();
    for (const path of ["/v1/me", "/v1/queues", "/v1", "/v1/me?x=1", "/v1/nothing"]) {
      expect((await clinic.client().get(path)).header("API-Version")).toBe("v1");
    }
    expect((await service.stranger().me()).header("API-Version")).toBe("v1");
  });

  test.each(["/", "/me", "/v2/me", "/V1/me", "/v1.1/me", "//v1/me", "/index.html"])(
    "is required in the path exactly: %s does not exist",
    async (path) => {
      const clinic = await service.clinic();
      expectRefusal(await clinic.client().get(path), 404, "not_found");
    },
  );
});

describe("version 1.1.0", () => {
  test("is the version that the service reports", async () => {
    const index = await service.stranger().get<{ version: string; apiVersion: string }>("/v1");
    expect(index.data).toMatchObject({ version: "1.1.0", apiVersion: "v1" });
    const { json } = await service.stranger().get("/v1/openapi.json");
    expect(json).toMatchObject({ info: { version: "1.1.0" } });
  });
});
