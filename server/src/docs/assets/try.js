/*
 * Sends requests to this service with a key of a sandbox business. The key is in one variable of this module until the
 * user leaves the page. It is not in any storage, address, form or log. Each request carries `Sandbox-Only`, so the
 * service refuses it for the key of any other business.
 */

import { copyButton } from "./copy.js";

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
const operations = JSON.parse(place.dataset.operations);

let key = null;
/** Values of parameters that were typed or found in a response, by parameter name. */
const values = new Map();
const known = new Map();

function urlOf({ path, query = {} }) {
  const url = new URL(api.href + path.replace(/^\/v1/, ""));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** Sends one request. Rejects like `fetch` if there is no response. */
async function send({ method, path, query = {}, headers = {}, body }) {
  const url = urlOf({ path, query });
  if (url.origin !== location.origin || !`${url.pathname}/`.startsWith(`${api.pathname}/`)) {
    throw new Error("This address does not belong to the API.");
  }
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
  const text = await response.text();
  return { response, text, json: parsed(text), ms: Math.round(performance.now() - began) };
}

/** A request as a line for a shell, which takes the key from its environment. */
function curlOf(request) {
  const { method, headers, body } = request;
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(urlOf(request).href)}`,
    '-H "Authorization: Bearer $QUEUE_API_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${quoted(body)}`]),
  ].join(" \\\n  ");
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Remembers the ids in a response as suggestions for parameters: ids of queues for `queueId`, and so on. */
function learn(path, json) {
  const noun = /(queue|entrie|entry|appointment|service)s?(?:\/[^/]+)?(?:\/cancel)?$/.exec(
    path,
  )?.[1];
  if (!noun || !json?.data) return;
  const name = `${noun.replace("entrie", "entry")}Id`;
  for (const item of [json.data].flat()) {
    if (typeof item.id !== "string") continue;
    if (!known.has(name)) known.set(name, new Map());
    known.get(name).set(item.id, item.name ?? item.token ?? item.slotTime ?? "");
    if (!values.get(name)) values.set(name, item.id);
  }
}

// ── The key

const keyPart = element("section", { className: "given" });

function showKeyForm(message = "") {
  const input = element("input", { type: "password", id: "try-key", placeholder: "svc_live_…" });
  input.autocomplete = "off";
  input.spellcheck = false;
  const use = element("button", { type: "button", className: "button", textContent: "Use key" });
  const take = async () => {
    const given = input.value.trim();
    input.value = "";
    await useKey(given);
  };
  use.addEventListener("click", take);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") take();
  });
  keyPart.replaceChildren(
    element("label", { htmlFor: "try-key", textContent: "API key of a sandbox business" }),
    together(input, use),
    note(message, "wrong"),
  );
}

async function useKey(given) {
  if (!/^[\x21-\x7e]+$/.test(given)) return showKeyForm("Paste a key that begins with svc_live_.");
  key = given;
  const me = await send({ method: "GET", path: "/v1/me" }).catch(() => null);
  if (me === null) return forget("The service cannot be reached.");
  if (!me.response.ok) return forget(whyNot(me));
  const forgetButton = element("button", {
    type: "button",
    className: "button quiet",
    textContent: "Forget key",
  });
  forgetButton.addEventListener("click", () => forget(""));
  const { business, key: about } = me.json.data;
  const text = `The key “${about.name}” of ${business.name} is in the memory of this page.`;
  keyPart.replaceChildren(
    together(element("p", { className: "note", textContent: text }), forgetButton),
  );
  const queues = await send({ method: "GET", path: "/v1/queues" }).catch(() => null);
  if (queues?.response.ok) learn("/v1/queues", queues.json);
  showOperation();
}

function whyNot({ json, response }) {
  const [detail] = json?.error?.details ?? [];
  if (detail?.field === "Sandbox-Only") {
    return "This key belongs to a business that is not a sandbox, so it was refused and removed from this page. Replace a key that was in a browser.";
  }
  return json?.error?.message ?? `The service answered ${response.status}.`;
}

function forget(message) {
  key = null;
  answerPart.replaceChildren(waiting());
  showKeyForm(message);
}

addEventListener("pagehide", () => {
  key = null; // the browser may keep the page for going back, but not with the key
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) forget("");
});

// ── The request

const choice = element("select", { id: "try-operation" });
for (const { id, method, path } of operations) {
  choice.append(element("option", { value: id, textContent: `${method} ${path}` }));
}
choice.addEventListener("change", () => {
  history.replaceState(null, "", `#${choice.value}`);
  showOperation();
});
const inputsPart = element("div", {});
const answerPart = element("section", {});
answerPart.setAttribute("aria-live", "polite");

function showOperation() {
  const operation = operations.find(({ id }) => id === choice.value) ?? operations[0];
  const fields = operation.parameters.map((parameter) => ({
    parameter,
    ...parameterField(parameter),
  }));
  const idempotency = operation.hasIdempotencyKey ? idempotencyField() : null;
  const body = operation.body === null ? null : bodyField(operation.body);
  const sendButton = element("button", {
    type: "button",
    className: "button",
    textContent: "Send",
  });
  /** The request of the fields; null if one is missing, which then has the focus. */
  const filledIn = () => {
    const missing = fields.filter(({ isMissing }) => isMissing());
    missing[0]?.input.focus();
    if (missing.length > 0) return null;
    const given = (where) =>
      fields
        .filter(({ parameter, input }) => parameter.place === where && input.value !== "")
        .map(({ parameter, input }) => [parameter.name, input.value.trim()]);
    const inPath = new Map(given("path"));
    return {
      method: operation.method,
      path: operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
        encodeURIComponent(inPath.get(name)),
      ),
      query: Object.fromEntries(given("query")),
      headers: idempotency ? { "Idempotency-Key": idempotency.input.value } : {},
      body: body?.input.value,
    };
  };
  sendButton.addEventListener("click", async () => {
    const request = filledIn();
    if (request === null) return;
    sendButton.disabled = true;
    await showAnswer(operation, request);
    sendButton.disabled = false;
  });
  const curlButton = copyButton("Copy as curl", "button quiet", () => {
    const request = filledIn();
    return request && curlOf(request);
  });
  inputsPart.replaceChildren(
    ...fields.map(({ part }) => part),
    ...(idempotency ? [idempotency.part] : []),
    ...(body ? [body.part] : []),
    together(sendButton, curlButton),
  );
}

function parameterField({ name, required, description, choices }) {
  const id = `try-${name}`;
  const input = element(choices.length > 0 ? "select" : "input", { id });
  if (choices.length > 0) {
    for (const value of ["", ...choices]) {
      input.append(element("option", { value, textContent: value || "(not sent)" }));
    }
  } else {
    input.autocomplete = "off";
    input.spellcheck = false;
  }
  input.value = values.get(name) ?? "";
  const fault = note("", "wrong");
  fault.id = `${id}-fault`;
  input.setAttribute("aria-describedby", fault.id);
  /** Says in the field what is missing, if something is. */
  const isMissing = () => {
    const missing = required && input.value.trim() === "";
    fault.textContent = missing ? `Enter the ${name} first. The lists show ids.` : "";
    fault.hidden = !missing;
    input.setAttribute("aria-invalid", String(missing));
    return missing;
  };
  input.addEventListener("input", () => {
    values.set(name, input.value);
    if (!fault.hidden) isMissing();
  });
  const part = field(
    id,
    required ? name : `${name} (optional)`,
    input,
    description.replaceAll("`", ""),
  );
  if (known.has(name)) {
    const list = element("datalist", { id: `${id}-known` });
    for (const [value, label] of known.get(name)) list.append(element("option", { value, label }));
    input.setAttribute("list", list.id);
    part.append(list);
  }
  part.append(fault);
  return { part, input, isMissing };
}

function idempotencyField() {
  const input = element("input", { id: "try-idempotency", value: randomKey() });
  input.autocomplete = "off";
  const renew = element("button", {
    type: "button",
    className: "button quiet",
    textContent: "New",
  });
  renew.addEventListener("click", () => {
    input.value = randomKey();
  });
  const about = "Send twice with the same key and body: the second answer is a replay.";
  return { part: field(input.id, "Idempotency-Key", together(input, renew), about), input };
}

function bodyField(example) {
  const input = element("textarea", { id: "try-body", rows: 6, spellcheck: false });
  input.value = values.get("body") ?? JSON.stringify(example, null, 2);
  input.addEventListener("input", () => values.set("body", input.value));
  return { part: field(input.id, "Body", input, ""), input };
}

function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `try-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

// ── The answer

const waiting = () =>
  element("p", { className: "note", textContent: "The answer to a request is shown here." });

async function showAnswer(operation, request) {
  let answer;
  try {
    answer = await send(request);
  } catch {
    answerPart.replaceChildren(note("There was no answer. Is the service running?", "wrong"));
    return;
  }
  const { response, text, json, ms } = answer;
  if (response.ok) learn(request.path, json);
  const headers = shownHeaders
    .filter((name) => response.headers.has(name))
    .map((name) => `${name}: ${response.headers.get(name)}`);
  const about = `${request.method} ${response.url.slice(location.origin.length)}, ${ms} ms`;
  answerPart.replaceChildren(
    element("h2", { className: "sample-title", textContent: `Answer ${response.status}` }),
    element("p", { className: "note", textContent: about }),
    block(headers.join("\n")),
    answerBlock(text, json),
  );
  if (operation.id === choice.value) refreshSuggestions(operation);
}

/** The body of a response. The `docUrl` of an error is a link, in a new tab because the key is in this one. */
function answerBlock(text, json) {
  const made = block(json === null ? text : JSON.stringify(json, null, 2));
  const docUrl = json?.error?.docUrl;
  if (typeof docUrl !== "string" || !/^https?:/.test(docUrl)) return made;
  const code = made.firstChild;
  const [before, after] = code.textContent.split(docUrl);
  const link = element("a", {
    href: docUrl,
    textContent: docUrl,
    target: "_blank",
    rel: "noopener",
  });
  code.replaceChildren(before, link, after ?? "");
  return made;
}

/** Offers the new ids at once, and keeps the typed values. */
function refreshSuggestions({ parameters }) {
  if (parameters.some(({ name }) => known.has(name) && !values.get(name))) showOperation();
}

// ── Pieces

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

function together(...parts) {
  const row = element("div", { className: "together" });
  row.append(...parts);
  return row;
}

function note(text, kind = "") {
  return element("p", { className: `note ${kind}`, textContent: text, hidden: text === "" });
}

function field(id, label, input, about) {
  const part = element("div", { className: "given" });
  part.append(element("label", { htmlFor: id, textContent: label }), input, note(about));
  return part;
}

function block(text) {
  const code = element("pre", { tabIndex: 0 });
  code.append(element("code", { textContent: text }));
  return code;
}

const asked = location.hash.slice(1);
if (operations.some(({ id }) => id === asked)) choice.value = asked;
const request = element("section", {});
const choicePart = field(choice.id, "Endpoint", choice, "");
request.append(keyPart, choicePart, inputsPart);
showKeyForm();
showOperation();
answerPart.append(waiting());
place.classList.add("try");
place.append(request, answerPart);
place.removeAttribute("data-operations");
