import { expect, test } from "vitest";
import { gate } from "../support/gate.js";
import { testService } from "../support/service.js";
import { textOf } from "./support/html.js";
import { ownedClinic, quicklySignedIn } from "./support/quick-sign-in.js";

const changes = gate();
const service = await testService({
  interpose: ({ queues }) => ({
    queues: {
      async change(...asked) {
        await changes.pass();
        return queues.change(...asked);
      },
    },
  }),
});
const { store } = service;

test("a change whose client hangs up before the answer has its audit row", async () => {
  const { clinic, visitor } = await ownedClinic(service);
  changes.close();
  const leaving = new AbortController();
  const cookies = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const submitted = fetch(`${service.url}/dashboard/queues/${clinic.queue()}/switch`, {
    method: "POST",
    headers: { Cookie: cookies, Origin: service.url, "X-Forwarded-For": visitor.address },
    body: new URLSearchParams({ form_token: visitor.formToken, isActive: "off" }),
    signal: leaving.signal,
  });
  await changes.reached(1);
  leaving.abort(new Error("gone"));
  await expect(submitted).rejects.toThrow("gone");
  changes.open();
  const isActive = async () => (await store.queues.list(clinic.id))[0]?.isActive;
  await expect.poll(isActive).toBe(false);
  const [row] = await service.owner.audit(clinic.slug, 10);
  expect(row).toMatchObject({
    method: "POST",
    path: expect.stringMatching(/switch$/),
    status: 200,
  });
});

test("a form that was shown before another change does not overwrite it, until it is sent again", async () => {
  const { clinic, visitor } = await ownedClinic(service);
  const path = `/dashboard/queues/${clinic.queue()}`;
  const other = await quicklySignedIn(service, clinic);
  const stale = (await visitor.get(path)).body;
  const revisionIn = (body: string) => /name="revision" value="(\d+)"/.exec(body)?.[1] ?? "";
  const form = { name: "Reception", tokenSeries: "A" };
  const shown = { ...form, revision: revisionIn(stale) };
  await other.submit(`${path}/switch`, { isActive: "off" });

  const refused = await visitor.submit(path, { ...shown, isActive: "on" });
  expect(refused.status).toBe(422);
  expect(textOf(refused.body)).toContain("Another person changed this meanwhile.");
  expect((await store.queues.list(clinic.id))[0]?.isActive).toBe(false);

  const again = { ...form, revision: revisionIn(refused.body), isActive: "on" };
  expect((await visitor.submit(path, again)).status).toBe(303);
  expect(await store.queues.list(clinic.id)).toMatchObject([{ name: "Reception", isActive: true }]);
});
