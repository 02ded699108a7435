import { describe, expect, test } from "vitest";
import { businessEndpoints, call, clinicWithIds, endpointsWithId } from "../support/endpoints.js";
import { expectRefusal, expectStatus, twin } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();

describe("one business per key", () => {
  test.each(endpointsWithId)(
    "$method $template returns the same for an id of another business as for an unknown id",
    async (endpoint) => {
      const [clinic, other] = [
        await service.clinic(clinicWithIds),
        await service.clinic(clinicWithIds),
      ];
      const caller = () => clinic.client();
      const foreign = await call(endpoint, caller(), clinic, { id: endpoint.idOf?.(other) ?? "" });
      const again = await service.clinic(clinicWithIds);
      const nowhere = await call(endpoint, again.client(), again, {
        id: "zzzzzzzzzzzzzzzzzzzzzzzz",
      });

      expectRefusal(foreign, 404, "not_found");
      expect(twin(foreign)).toEqual(twin(nowhere));
    },
  );

  test("a key cannot list or change anything of another business", async () => {
    const [clinic, other] = [
      await service.clinic(clinicWithIds),
      await service.clinic(clinicWithIds),
    ];
    await clinic.client().create(other.queue());
    await clinic.client().cancel(other.entry("first"));
    const theirs = (await other.client().entries(other.queue())).data;
    expect(theirs.map(({ id, status }) => [id, status])).toEqual([
      [other.entry("first"), "WAITING"],
    ]);
  });
});

describe("for servers only", () => {
  test.each([
    ["a read", "GET", "/v1/me"],
    ["a public read", "GET", "/v1"],
    ["an unknown path", "GET", "/v1/nothing"],
    ["a preflight", "OPTIONS", "/v1/me"],
  ])("%s from a browser's page gets no CORS header", async (_, method, path) => {
    const clinic = await service.clinic();
    const answer = await clinic.client().send(method, path, {
      headers: { Origin: "https://shop.example", "Access-Control-Request-Method": "GET" },
    });
    const names = [...answer.headers.keys()];
    expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });
});

test.each(businessEndpoints)(
  "access per business: $method $template is refused while it is off",
  async (endpoint) => {
    const clinic = await service.clinic({ ...clinicWithIds, apiAccess: false });
    expectRefusal(await call(endpoint, clinic.client(), clinic), 403, "api_access_disabled");
    await service.owner.setAccess(clinic.slug, true);
    expectStatus(await call(endpoint, clinic.client(), clinic), endpoint.success);
  },
);

test("a created entry appears in every response about the queue, and on the business's board, at once", async () => {
  const clinic = await service.clinic();
  const { data } = await clinic.client().create(clinic.queue());
  const listed = (await clinic.client().entries(clinic.queue())).data;
  expect(listed.map(({ id }) => id)).toEqual([data.id]);
  expect((await clinic.client().queue(clinic.queue())).data.counts.waiting).toBe(1);
  expect(await service.owner.next(clinic.queue())).toBe(data.id);
});

test.each(["POST", "PUT", "PATCH", "DELETE"])(
  "appointments are read only: %s cannot change one",
  async (method) => {
    const clinic = await service.clinic(clinicWithIds);
    const id = clinic.appointment("checkup");
    const before = (await clinic.client().appointment(id)).data;
    for (const path of ["/v1/appointments", `/v1/appointments/${id}`]) {
      const answer = await clinic.client().send(method, path, { json: { status: "CANCELLED" } });
      expectRefusal(answer, 404, "not_found");
    }
    expect((await clinic.client().appointment(id)).data).toEqual(before);
  },
);
