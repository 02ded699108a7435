import type { RequestHandler, Response } from "express";
import { type Html, html } from "../../lib/html.js";
import { addQueue, mostQueues, queueOptions } from "../../owner/queue.js";
import type { Queue } from "../../rules/records.js";
import type { Store } from "../../store/store.js";
import { formToken } from "../accounts/form-token.js";
import { asFlag } from "../checked-form.js";
import { orNotFound } from "../errors.js";
import { done } from "../flash.js";
import {
  checkField,
  type FormState,
  formError,
  readForm,
  textField,
  untouched,
  withFault,
} from "../forms.js";
import type { DashboardDeps } from "../page.js";
import { at } from "../root.js";
import { signedIn } from "../signed-in.js";

type QueueRoute = RequestHandler<{ queueId: string }>;

const fields = {
  name: { label: "Name" },
  tokenSeries: { label: "Letters on its tokens" },
  isActive: { label: "Open", read: asFlag },
  isTokenCreationPaused: { label: "Paused", read: asFlag },
} as const;

/** `GET /queues/new` */
export function showNewQueue({ send }: DashboardDeps): RequestHandler {
  return (req, res) => send(req, res, view(res, untouched));
}

/** `POST /queues` */
export function createQueue({ store, random, send }: DashboardDeps): RequestHandler {
  return async (req, res) => {
    const checked = readForm(req, queueOptions, fields);
    if (!checked.ok) return send(req, res, { ...view(res, checked.state), status: 422 });
    const { business } = signedIn(res);
    const added = await addQueue(store, business.id, checked.value, {
      now: await store.now(),
      random,
    });
    if (!added) {
      const message = `A business has at most ${mostQueues} queues. Change one that is closed.`;
      return send(req, res, { ...view(res, withFault(req, "", message)), status: 422 });
    }
    done(req, res, "The queue is added. It is on the board.", "/queues");
  };
}

/** `GET /queues/:queueId` */
export function showQueue({ store, send }: DashboardDeps): QueueRoute {
  return async (req, res) => {
    const queue = await ownQueue(store, signedIn(res).business.id, req.params.queueId);
    send(req, res, view(res, untouched, queue));
  };
}

/** `POST /queues/:queueId` */
export function changeQueue({ store, send }: DashboardDeps): QueueRoute {
  return async (req, res) => {
    const { business } = signedIn(res);
    const queue = await ownQueue(store, business.id, req.params.queueId);
    const checked = readForm(req, queueOptions, fields);
    if (!checked.ok) return send(req, res, { ...view(res, checked.state, queue), status: 422 });
    await store.queues.change(business.id, queue.id, checked.value);
    done(req, res, "The queue is changed.", "/queues");
  };
}

/** `POST /queues/:queueId/switch` */
export function switchQueue({ store }: DashboardDeps): QueueRoute {
  return async (req, res) => {
    const isActive = req.body?.isActive === "on";
    const { business } = signedIn(res);
    orNotFound(await store.queues.change(business.id, req.params.queueId, { isActive }));
    const text = isActive ? "The queue is open." : "The queue is closed: it takes no new tokens.";
    done(req, res, text, "/queues");
  };
}

async function ownQueue(store: Store, businessId: string, id: string): Promise<Queue> {
  return orNotFound((await store.queues.list(businessId)).find((queue) => queue.id === id));
}

function view(res: Response, state: FormState, queue?: Queue) {
  const action = at(res, queue ? `/queues/${queue.id}` : "/queues");
  const body = html`${formError(state)}<form class="card" method="post" action="${action}">
${formToken(res)}${queueForm(state, queue)}<div class="actions"><button class="primary">${queue ? "Save" : "Add the queue"}</button><a class="button quiet" href="${at(res, "/queues")}">Cancel</a></div>
</form>
`;
  return { title: queue?.name ?? "New queue", body };
}

function queueForm(state: FormState, queue?: Queue): Html {
  const {
    name = "",
    tokenSeries = "A",
    isActive = true,
    isTokenCreationPaused = false,
  } = queue ?? {};
  return html`${textField(
    {
      name: "name",
      label: fields.name.label,
      value: name,
      attributes: html`maxlength="240" required`,
    },
    state,
  )}${textField(
    {
      name: "tokenSeries",
      label: fields.tokenSeries.label,
      hint: "1 to 10 letters from A to Z. Use different letters for each queue, so that people can distinguish its tokens. Tokens that are already issued do not change.",
      value: tokenSeries,
      attributes: html`maxlength="10" required`,
    },
    state,
  )}${checkField({ name: "isActive", label: "Open", checked: isActive }, state)}${checkField(
    {
      name: "isTokenCreationPaused",
      label: "Takes no new tokens for now",
      checked: isTokenCreationPaused,
    },
    state,
  )}`;
}
