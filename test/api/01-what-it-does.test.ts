import { describe, expect, test } from "vitest";
import {
  businessEndpoints,
  call,
  clinicWithIds,
  endpointsWithId,
  titled,
} from "../support/endpoints.js";
import { expectRefusal, expectStatus, expectWrong, twin } from "../support/expect.js";
import { testService } from "../support/service.js";

const service = await testService();

interface OpenApi {
  readonly paths: Record<string, Record<string, { readonly security?: readonly object[] }>>;
  readonly security?: readonly object[];
}

describe("a REST API over JSON", () => {
  test("a business reads its services, queues, entries and appointments", async () => {
    const clinic = await service.clinic(clinicWithIds);
    const client = clinic.client();

    expect((await client.services()).data.map(({ id }) => id)).toEqual([clinic.service()]);
    expect((await client.queues()).data.map(({ id }) => id)).toEqual([clinic.queue()]);
    const entries = await client.entries(clinic.queue());
    expect(entries.data.map(({ id }) => id)).toEqual([clinic.entry("first")]);
    const appointments = await client.appointments();
    expect(appointments.data.map(({ id }) => id)).toEqual([clinic.appointment("checkup")]);
  });

  test("a business creates a token and cancels it", async () => {
    const clinic = await service.clinic();
    const created = await clinic.client().create(clinic.queue());
    expectStatus(created, 201);
    const canceled = await clinic.client().cancel(created.data.id);
    expect(canceled.data).toMatchObject({ id: created.data.id, status: "CANCELED" });
  });

  test("ten endpoints need a key and two do not", async () => {
    const document = (await service.stranger().get("/v1/openapi.json")).json as OpenApi;
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method === "get" || method === "post")
        .map(([method, operation]) => ({
          name: `${method.toUpperCase()} ${path}`,
          needsApiKey: (operation.security ?? document.security ?? []).length > 0,
        })),
    );
    const named = (needsApiKey: boolean) =>
      operations
        .filter((operation) => operation.needsApiKey === needsApiKey)
        .map(({ name }) => name);

    expect(named(true).sort()).toEqual(
      businessEndpoints.map(({ method, template }) => `${method} ${template}`).sort(),
    );
    expect(named(false).sort()).toEqual(["GET /v1", "GET /v1/openapi.json"]);
  });

  test.each(["/v1", "/v1/openapi.json"])("GET %s needs no key", async (path) => {
    expectStatus(await service.stranger().get(path), 200);
  });
});

describe("one business per key", () => {
  test("each key sees its own business", async () => {
    const clinics = await Promise.all([
      service.clinic({ name: "Clinic A" }),
      service.clinic({ name: "Clinic B" }),
    ]);
    const seen = await Promise.all(clinics.map((clinic) => clinic.client().me()));
    expect(seen.map(({ data }) => data.business.name)).toEqual(["Clinic A", "Clinic B"]);
    expect(seen.map(({ data }) => data.business.slug)).toEqual(clinics.map(({ slug }) => slug));
  });

  test.each(titled(businessEndpoints))("%s takes no business from the URL", async (_, endpoint) => {
    const [clinic, other] = [await service.clinic(clinicWithIds), await service.clinic()];
    const query = `?businessId=${other.id}`;
    expectWrong(await call(endpoint, clinic.client(), clinic, { query }), "businessId");
  });

  test("a creation takes no business from the body", async () => {
    const [clinic, other] = [await service.clinic(), await service.clinic()];
    const body = { name: "Customer 1", phone: "919800000001", businessId: other.id };
    expectWrong(await clinic.client().create(clinic.queue(), body), "businessId");
  });

  test.each(titled(endpointsWithId))(
    "%s returns the same for an id of another business as for an unknown id",
    async (_, endpoint) => {
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

  test("a creation cannot ask for a service of another business", async () => {
    const [clinic, other] = [await service.clinic(), await service.clinic()];
    const body = { name: "Customer 1", phone: "919800000001", serviceId: other.service() };
    expectWrong(await clinic.client().create(clinic.queue(), body), "serviceId");
  });

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

  test("a preflight is refused", async () => {
    const clinic = await service.clinic();
    const answer = await clinic.client().send("OPTIONS", "/v1/me");
    expectRefusal(answer, 404, "not_found");
  });
});

describe("access per business", () => {
  test.each(titled(businessEndpoints))("%s is refused while access is off", async (_, endpoint) => {
    const clinic = await service.clinic({ ...clinicWithIds, apiAccess: false });
    expectRefusal(await call(endpoint, clinic.client(), clinic), 403, "api_access_disabled");
    await service.owner.setAccess(clinic.slug, true);
    expectStatus(await call(endpoint, clinic.client(), clinic), endpoint.success);
  });

  test("the switch of one business does not affect another", async () => {
    const [off, on] = [await service.clinic({ apiAccess: false }), await service.clinic()];
    expectRefusal(await off.client().me(), 403, "api_access_disabled");
    expectStatus(await on.client().me(), 200);
  });
});

describe("a created entry", () => {
  test("appears in every response about the queue, and on the business's board, at once", async () => {
    const clinic = await service.clinic();
    const { data } = await clinic.client().create(clinic.queue());
    const listed = (await clinic.client().entries(clinic.queue())).data;
    expect(listed.map(({ id }) => id)).toEqual([data.id]);
    expect((await clinic.client().queue(clinic.queue())).data.counts.waiting).toBe(1);
    expect(await service.owner.next(clinic.queue())).toBe(data.id);
  });

  test("the OpenAPI document mentions no messages to customers", async () => {
    const document = await service.stranger().get("/v1/openapi.json");
    expect(document.text).not.toMatch(/sms|whatsapp|e-?mail|notify|webhook/i);
  });
});

describe("appointments are read only", () => {
  test.each(["POST", "PUT", "PATCH", "DELETE"])(
    "%s cannot change an appointment",
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
});
