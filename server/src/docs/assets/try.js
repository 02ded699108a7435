/*
 * Sends requests to this service with a key of a sandbox business. The key is in one variable of this module until the
 * user leaves the page. It is not in any storage, address, form or log. Each request carries `Sandbox-Only`, so the
 * service refuses it for the key of any other business.
 */

import { copy, element } from "./dom.js";

/** The only address that requests are sent to: this service, below /v1. */
const api = new URL("../v1", new URL(".", import.meta.url));
const shownHeaders = [
  "Location",
  "Idempotent-Replay",
  "Retry-After",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "RateLimit-Policy",
  "X-Request-Id",
];
const place = document.getElementById("try");
const choice = document.getElementById("operation");
const responsePart = document.getElementById("response");
const keyForm = document.forms.key;
const knownKey = document.getElementById("known-key");
const operationForms = [...place.querySelectorAll("form[data-path]")];

let key = null;

/** The URL of a path below /v1. */
const urlOf = (path) => new URL(`${api}${path}`);

/** Sends one request. Rejects like `fetch` if there is no response. */
async function send({ method, url, headers = {}, body }) {
  const began = performance.now();
  const response = await fetch(url, {
    method,
    headers: {
      ...headers,
      "Sandbox-Only": "true",
      ...(key !== null && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    body,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
    referrerPolicy: "no-referrer",
  });
  const json = await response
    .clone()
    .json()
    .catch(() => null);
  const text = json === null ? await response.text() : JSON.stringify(json, null, 2);
  return { response, text, json, ms: Math.round(performance.now() - began) };
}

/** A request as a line for a shell, which takes the key from its environment. */
function curlOf({ method, url, headers, body }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url.href)}`,
    '-H "Authorization: Bearer $QUEUE_API_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

/** Suggests the ids in a response for parameters: ids of queues for `queueId`, and so on. */
function learn(path, json) {
  const [, noun] =
    /\/(queue|entr|appointment|service)(?:ies|y|s)?(?:\/[^/]+)?(?:\/cancel)?$/.exec(path) ?? [];
  const name = `${noun === "entr" ? "entry" : noun}Id`;
  const list = document.getElementById(`known-${name}`);
  for (const { id, ...item } of [json?.data ?? []].flat()) {
    if (!list || typeof id !== "string") continue;
    const label = item.name ?? item.token ?? item.slotTime ?? "";
    if (![...list.options].some(({ value }) => value === id)) {
      list.append(element("option", { value: id, label }));
    }
    for (const field of fieldsOf(name)) field.value ||= id;
  }
}

/** The fields of a name: each form has its own. */
function fieldsOf(name) {
  return place.querySelectorAll(`[data-in][name="${CSS.escape(name)}"]`);
}

// ── The key

async function useKey(given) {
  if (!/^[\x21-\x7e]+$/.test(given)) return forget("Paste a key that begins with svc_live_.");
  key = given;
  const me = await send({ method: "GET", url: urlOf("/me") }).catch(() => null);
  if (me === null) return forget("The service cannot be reached.");
  if (!me.response.ok) return forget(whyNot(me));
  const { business, key: about } = me.json.data;
  knownKey.querySelector("span").textContent =
    `The key “${about.name}” of ${business.name} is in the memory of this page.`;
  keyForm.hidden = true;
  knownKey.hidden = false;
  const queues = await send({ method: "GET", url: urlOf("/queues") }).catch(() => null);
  if (queues?.response.ok) learn("/v1/queues", queues.json);
}

function whyNot({ json, response }) {
  const [detail] = json?.error?.details ?? [];
  if (detail?.field === "Sandbox-Only") {
    return "This key belongs to a business that is not a sandbox, so it was refused and removed from this page. Replace a key that was in a browser.";
  }
  return json?.error?.message ?? `The service responded with ${response.status}.`;
}

function forget(message) {
  key = null;
  clearResponse();
  keyForm.querySelector(".error").textContent = message;
  keyForm.hidden = false;
  knownKey.hidden = true;
}

keyForm.addEventListener("submit", (event) => {
  event.preventDefault();
  const given = keyForm.elements.key.value.trim();
  keyForm.reset();
  useKey(given);
});
knownKey.querySelector("button").addEventListener("click", () => forget(""));
addEventListener("pagehide", () => {
  key = null; // the browser may keep the page for going back, but not with the key
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) forget("");
});

// ── The request

function showOperation() {
  for (const form of operationForms) form.hidden = form.name !== choice.value;
}

/** The request of a form without missing fields. */
function requestOf(form) {
  const given = (where) =>
    [...form.querySelectorAll(`[data-in="${where}"]`)]
      .map(({ name, value }) => [name, value.trim()])
      .filter(([, value]) => value !== "");
  const inPath = new Map(given("path"));
  const { method, path } = form.dataset;
  const url = urlOf(
    path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath.get(name))),
  );
  for (const [name, value] of given("query")) url.searchParams.set(name, value);
  return {
    method,
    url,
    headers: Object.fromEntries(given("header")),
    body: form.elements.body?.value,
  };
}

function renewKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  for (const field of fieldsOf("Idempotency-Key")) field.value = `try-${random}`;
}

for (const form of operationForms) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { submitter: button } = event;
    if (button.value === "curl") return copy(curlOf(requestOf(form)), button);
    button.disabled = true;
    await showResponse(requestOf(form));
    button.disabled = false;
  });
  form.addEventListener("input", ({ target: { name, value } }) => {
    for (const field of fieldsOf(name)) field.value = value;
  });
  form.querySelector(".renew")?.addEventListener("click", renewKey);
}
choice.addEventListener("change", () => {
  history.replaceState(null, "", `#${choice.value}`);
  showOperation();
  clearResponse();
});

// ── The response

const clearResponse = () =>
  responsePart.replaceChildren(note("The response to a request is shown here."));

async function showResponse(request) {
  const result = await send(request).catch(() => null);
  if (result === null) {
    responsePart.replaceChildren(note("There was no response. Is the service running?", "error"));
    return;
  }
  const { response, text, json, ms } = result;
  if (response.ok) learn(request.url.pathname, json);
  const headers = shownHeaders
    .filter((name) => response.headers.has(name))
    .map((name) => `${name}: ${response.headers.get(name)}`);
  const about = `${request.method} ${response.url.slice(location.origin.length)}, ${ms} ms`;
  responsePart.replaceChildren(
    element("h2", { className: "small-title", textContent: `Response ${response.status}` }),
    note(about),
    block(headers.join("\n")),
    block(text),
  );
}

/** A block of code. URLs in quotes become links, in a new tab because the key is in this one. */
function block(text) {
  const code = element("code");
  for (const part of text.split(/(?<=")(https?:\/\/[^"\\]+)(?=")/)) {
    const link = { href: part, textContent: part, target: "_blank", rel: "noopener" };
    code.append(/^https?:/.test(part) ? element("a", link) : part);
  }
  const made = element("pre", { tabIndex: 0 });
  made.append(code);
  return made;
}

const note = (textContent, className = "hint") => element("p", { className, textContent });

const asked = location.hash.slice(1);
choice.value = operationForms.some(({ name }) => name === asked) ? asked : choice.options[0].value;
renewKey();
forget("");
showOperation();
place.hidden = false;
