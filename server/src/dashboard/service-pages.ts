import type { z } from "zod";
import { html } from "../lib/html.js";
import { maxServices } from "../operations/business-items.js";
import { serviceOptions } from "../owner/services.js";
import type { Service } from "../rules/records.js";
import { formToken } from "./accounts/form-token.js";
import { inHours } from "./date-format.js";
import { asFlag, asNumberOrNull, type FormState, formCard, inputs, inRow } from "./forms.js";
import type { View } from "./layout.js";
import { orNotFound } from "./page-error.js";
import { dashboardPath } from "./request.js";
import { resourceRoutes, targetField } from "./resource.js";
import { stackTable } from "./tables.js";
import { done, type Redirect, type Routes, type Visit } from "./visit.js";

type ServiceInput = z.output<typeof serviceOptions>;

const accepted = {
  schema: serviceOptions,
  fields: {
    name: { label: "Name" },
    price: { label: "Price", read: asNumberOrNull },
    baseTimeMinutes: { label: "Usual time in minutes", read: asNumberOrNull },
    active: { label: "Offered", read: asFlag },
  },
};

/** The services that people come for. */
export const services: Routes = {
  ...resourceRoutes<Service, ServiceInput, ServiceInput>({
    path: "/services",
    list: showServices,
    find: async ({ store, business, id: wanted }) =>
      orNotFound((await store.services.list(business.id)).find(({ id }) => id === wanted)),
    view: serviceForm,
    add: {
      ...accepted,
      async act({ store, business: { id: businessId } }, input, { id }) {
        const service = { id, businessId, ...input, revision: 0 };
        const outcome = await store.services.add(businessId, service);
        if (outcome !== "too_many") return done(`${service.name} is added.`, "/services");
        const message = `A business has at most ${maxServices} services. Change one that is no longer offered.`;
        return { field: "", message };
      },
    },
    change: {
      ...accepted,
      act: (visit, _, input, seen) => changeService(visit, input, "is changed", seen),
    },
    removal: {
      verb: "remove",
      blocked: async ({ store, business }, { id, name }) =>
        (await store.services.isInUse(business.id, id)) ? inUse(name) : null,
      question: ({ name }) => ({
        title: "Remove this service?",
        text: html`<strong>${name}</strong> is removed. Nothing refers to it yet.`,
      }),
      async act({ store, business }, { id, name }) {
        const outcome = await store.services.remove(business.id, id);
        return outcome === "removed" ? done(`${name} is removed.`, "/services") : inUse(name);
      },
    },
  }),
  "POST /services/:id/switch": (visit) => {
    const active = visit.req.body?.active === "on";
    visit.audit?.setPath(`/services/${visit.id}/${active ? "on" : "off"}`);
    return changeService(visit, { active }, active ? "is offered again" : "is switched off");
  },
};

async function changeService(
  { store, business, id }: Visit,
  change: Partial<ServiceInput>,
  outcome: string,
  seen: number | null = null,
): Promise<Redirect> {
  const { name } = orNotFound(await store.services.change(business.id, id, change, seen));
  return done(`${name} ${outcome}.`, "/services");
}

function inUse(name: string): Redirect {
  const text = `${name} is in use, so it stays. Switch it off instead.`;
  return { to: "/services", flash: { kind: "warning", text } };
}

async function showServices({ res, store, business }: Visit): Promise<View> {
  const services = await store.services.list(business.id);
  const newOne = dashboardPath(res, "/services/new");
  const none = html`<div class="empty">
<p>A service is what people come for. With its usual time, waits can be predicted from the first token on.</p>
<p><a class="button" href="${newOne}">Add the first service</a></p>
</div>
`;
  const rows = services.map(({ id, name, price, baseTimeMinutes, active }) => {
    const here = dashboardPath(res, `/services/${id}`);
    const cells = {
      Name: html`<a href="${here}">${name}</a>`,
      "Usual time": baseTimeMinutes === null ? "unknown" : inHours(baseTimeMinutes),
      Price: price === null ? "none" : `₹${price}`,
      State: html`<span class="badge ${active && "good"}">${active ? "Offered" : "Off"}</span>`,
    };
    const acts = html`<div class="actions"><form method="post" action="${here}/switch">${formToken(res)}<button id="switch-${id}" name="active" value="${active ? "off" : "on"}">${active ? "Switch off" : "Switch on"}<span class="visually-hidden"> ${name}</span></button></form></div>`;
    return { id: `item-${id}`, cells, acts };
  });
  const caption = "Services, in their order";
  const list = html`<section class="card" id="items" data-live>${stackTable({ caption, rows })}</section>
`;
  const actions = html`<a class="button primary" href="${newOne}">New service</a>
`;
  return { title: "Services", actions, body: services.length === 0 ? none : list };
}

async function serviceForm(
  { res }: Visit,
  state: FormState,
  target: Service | string,
): Promise<View> {
  const service = typeof target === "string" ? null : target;
  const { name, price, baseTimeMinutes, active = true } = service ?? {};
  const { text, check } = inputs(state, accepted.fields);
  const body = formCard(res, {
    action: service ? `/services/${service.id}` : "/services",
    page: !service && "/services/new",
    state,
    fields: [
      targetField(target),
      text({ name: "name", value: name, attributes: html`required` }),
      inRow(
        text({
          name: "baseTimeMinutes",
          type: "number",
          hint: "Used to predict waits. Leave it empty if the time varies widely.",
          value: baseTimeMinutes,
          attributes: html`min="0" max="1440"`,
        }),
        text({
          name: "price",
          type: "number",
          hint: "In whole rupees. Empty for none.",
          value: price,
          attributes: html`min="0"`,
        }),
      ),
      check({
        name: "active",
        label: "Offered now",
        hint: "If it is switched off, no new tokens or appointments can be made for it. Existing ones stay.",
        checked: active,
      }),
    ],
    submit: service ? "Save" : "Add the service",
    back: ["/services", "Cancel"],
    more:
      service &&
      html`<a class="button danger" href="${dashboardPath(res, `/services/${service.id}/remove`)}">Remove…</a>`,
  });
  return { title: service?.name ?? "New service", body };
}
