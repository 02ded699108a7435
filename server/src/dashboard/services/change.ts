import type { RequestHandler, Response } from "express";
import { html } from "../../lib/html.js";
import { addService, mostServices, serviceOptions } from "../../owner/services.js";
import type { Service } from "../../rules/records.js";
import type { Store } from "../../store/store.js";
import { formToken } from "../accounts/form-token.js";
import { orNotFound } from "../errors.js";
import { done } from "../flash.js";
import { type FormState, formError, readForm, untouched, withFault } from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";
import { serviceFields, serviceForm } from "./fields.js";

type ServiceRoute = RequestHandler<{ serviceId: string }>;

/** `GET /services/new` */
export function showNewService({ send }: DashboardDeps): RequestHandler {
  return (req, res) => send(req, res, view(res, untouched));
}

/** `POST /services` */
export function createService({ store, random, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const checked = readForm(req, serviceOptions, serviceFields);
    if (!checked.ok) return send(req, res, { ...view(res, checked.state), status: 422 });
    const { business } = signedIn(res);
    const added = await addService(store, business.id, checked.value, {
      now: await store.now(),
      random,
    });
    if (!added) {
      const message = `A business has at most ${mostServices} services. Change one that is no longer offered.`;
      return send(req, res, { ...view(res, withFault(req, "", message)), status: 422 });
    }
    done(req, res, "The service is added.", "/services");
  };
}

/** `GET /services/:serviceId` */
export function showService({ store, send }: DashboardDeps): ServiceRoute {
  return async (req, res) => {
    const service = await ownService(store, signedIn(res).business.id, req.params.serviceId);
    send(req, res, view(res, untouched, service));
  };
}

/** `POST /services/:serviceId` */
export function changeService({ store, send }: DashboardDeps): ServiceRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const service = await ownService(store, business.id, req.params.serviceId);
    const checked = readForm(req, serviceOptions, serviceFields);
    if (!checked.ok) return send(req, res, { ...view(res, checked.state, service), status: 422 });
    await store.services.change(business.id, service.id, checked.value);
    done(req, res, "The service is changed.", "/services");
  };
}

/** `POST /services/:serviceId/switch` */
export function switchService({ store }: DashboardDeps): ServiceRoute {
  return async (req, res) => {
    const active = req.body?.active === "on";
    const { business } = signedIn(res);
    orNotFound(await store.services.change(business.id, req.params.serviceId, { active }));
    const text = active ? "The service is offered again." : "The service is switched off.";
    done(req, res, text, "/services");
  };
}

async function ownService(store: Store, businessId: string, id: string): Promise<Service> {
  return orNotFound((await store.services.list(businessId)).find((service) => service.id === id));
}

function view(res: Response, state: FormState, service?: Service) {
  const action = at(res, service ? `/services/${service.id}` : "/services");
  const body = html`${formError(state)}<form class="card" method="post" action="${action}">
${formToken(res)}${serviceForm(state, service)}<div class="actions"><button class="primary">${service ? "Save" : "Add the service"}</button><a class="button quiet" href="${at(res, "/services")}">Cancel</a></div>
</form>
`;
  return { title: service?.name ?? "New service", body };
}
