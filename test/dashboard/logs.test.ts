import { expect, test } from "vitest";
import { queueApi } from "../support/command.js";
import { serveClinic } from "../support/process.js";
import { another, password, setPassword, signIn, Visitor } from "./support/visitor.js";

// A separate process hashes passwords at their full cost.
const timeout = 90_000;

test("the log at its most verbose level has each sign-in, and no password, token or e-mail address", {
  timeout,
}, async ({ onTestFinished }) => {
  const settings = { LOG_LEVEL: "trace" };
  const { database, server, clinic } = await serveClinic(onTestFinished, {}, { settings });
  const email = "marker@clinic.example";
  const add = ["owner", "add", "--business", clinic.slug, "--email", email];
  const { id, link } = (await queueApi([...add, "--database", database])) as Record<string, string>;
  const token = new URL(link ?? "").searchParams.get("token") ?? "";
  const visitor = new Visitor(server.url, "10.0.0.1");

  await visitor.get(`/dashboard/set-password?token=${token}`);
  await setPassword(visitor, token);
  const first = visitor.cookies.get("queue_api_session") ?? "";
  await visitor.get("/dashboard/account?marker=1");
  const form = { current: password, password: another, again: another };
  await visitor.submit("/dashboard/account", { ...form, current: "marker typed wrongly" });
  await visitor.submit("/dashboard/account", form);
  const second = visitor.cookies.get("queue_api_session") ?? "";
  await visitor.get("/dashboard/account");
  await visitor.get("/dashboard/audit.csv");
  await visitor.submit("/dashboard/sign-out");
  await signIn(visitor, { email, linkToken: token }, { password: another });
  const browser = visitor.cookies.get("queue_api_browser") ?? "not there";
  const last = visitor.cookies.get("queue_api_session") ?? "";
  const wrong = { password: "marker password" };
  for (let n = 0; n < 10; n++) await signIn(visitor, { email, linkToken: "" }, wrong);
  server.signal("SIGTERM");
  await server.exited;

  const log = server.output();
  expect(log).toContain(`"ownerId":"${id}","msg":"an owner set a password"`);
  expect(log).toContain(`"ownerId":"${id}","msg":"an owner changed their password"`);
  expect(log).toContain(`"ownerId":"${id}","msg":"an owner signed in"`);
  expect(log).toContain("sign-ins are throttled");
  expect(log).not.toContain("MaxListenersExceededWarning");
  expect([first, second, last].map(({ length }) => length)).toEqual([43, 43, 43]);
  const secrets = [token, first, second, last, browser, visitor.formToken];
  for (const word of [...secrets, password, another, "marker"]) {
    expect(log, `the log holds ${word}`).not.toContain(word);
  }
});
