import { routes } from "@queue-api/contract";
import { initServer } from "@ts-rest/express";
import type { Endpoints } from "../http/pipeline.js";
import { appointmentEndpoints } from "./appointments.js";
import type { EndpointDeps } from "./deps.js";
import { entryEndpoints } from "./entries.js";
import { meEndpoints } from "./me.js";
import { publicEndpoints } from "./public.js";
import { queueEndpoints } from "./queues.js";
import { serviceEndpoints } from "./services.js";

/** The endpoint of each route of the contract. */
export function allEndpoints(deps: EndpointDeps): Endpoints {
  return initServer().router(routes, {
    me: meEndpoints(),
    services: serviceEndpoints(deps),
    queues: queueEndpoints(deps),
    entries: entryEndpoints(deps),
    appointments: appointmentEndpoints(deps),
    public: publicEndpoints(deps),
  });
}
