import { expect, onTestFinished, test, vi } from "vitest";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import { RawConnection, rawRequest } from "../support/raw.js";
import { testService } from "../support/service.js";

const admitted = gate();
const listed = gate();
const service = await testService({
  interpose: (store) => ({
    ...held("admission", "admit", { after: admitted })(store),
    ...held("services", "list", { before: listed })(store),
  }),
});

const cancel = "/v1/entries/abcdefghij0123456789/cancel";

test.each([
  ["GET", "/v1/services", "during admission", admitted, 200],
  ["GET", "/v1/services", "during its endpoint", listed, 200],
  ["POST", cancel, "during admission, before its body", admitted, 400],
])("a %s of %s whose client hangs up %s is in the audit log, once", async (...row) => {
  const [method, path, , stage, status] = row;
  const clinic = await service.clinic();
  stage.close();
  const connection = await RawConnection.open(service);
  const headers = ["Host: queue.example", `Authorization: Bearer ${clinic.key()}`];
  if (method === "POST") headers.push("Transfer-Encoding: chunked");
  connection.send(rawRequest(`${method} ${path} HTTP/1.1`, headers));
  await stage.reached(1);
  connection.cut();
  await expect.poll(async () => (await fetch(`${service.url}/healthz`)).ok).toBe(true);
  stage.open();
  const rows = () => service.owner.audit(clinic.slug, 10);
  await expect.poll(async () => (await rows()).length).toBe(1);
  expect(await rows()).toMatchObject([{ path, status }]);
});

test("a page whose client hangs up before the server accepts it ends nothing but its connection", async () => {
  const uncaught = vi.fn();
  process.on("unhandledRejection", uncaught);
  onTestFinished(() => void process.off("unhandledRejection", uncaught));
  const sendAndCut = async () => {
    const connection = await RawConnection.open(service);
    connection.send(rawRequest("GET /dashboard/sign-in HTTP/1.1", ["Host: queue.example"]));
    connection.cut();
  };
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 40 }, sendAndCut));
  expect((await fetch(`${service.url}/dashboard/sign-in`)).status).toBe(200);
  expect(uncaught).not.toHaveBeenCalled();
});
