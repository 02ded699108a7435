import { expect, test } from "vitest";
import { StoreUnavailableError } from "../../server/dist/store/errors.js";
import { testService } from "../support/service.js";

let signInWindow = (): Promise<never> => Promise.reject(new StoreUnavailableError("away"));

/** A service that cannot read the failed sign-ins of an address from its database. */
const service = await testService({
  interpose: () => ({ admission: { signInWindow: () => signInWindow() } }),
});

const keyless = ["/v1", "/v1/openapi.json", "/healthz", "/docs"];

test.each(keyless)("%s is served while the database is unavailable", async (path) => {
  signInWindow = () => Promise.reject(new StoreUnavailableError("away"));
  const answer = await fetch(service.url + path);
  expect(answer.status).toBe(200);
  if (path !== "/docs") expect(answer.headers.get("RateLimit-Remaining")).toBe("30");
});

test.each(keyless)("%s is served while the database does not respond", async (path) => {
  signInWindow = () => new Promise(() => {});
  expect((await fetch(service.url + path)).status).toBe(200);
});

test("an error that is not of the database is not hidden", async () => {
  signInWindow = () => Promise.reject(new TypeError("a mistake"));
  expect((await fetch(`${service.url}/v1`)).status).toBe(500);
});
