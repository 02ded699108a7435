import { pino } from "pino";
import { expect, test } from "vitest";
import { testService } from "../support/service.js";
import {
  another,
  changePassword,
  inviteOwner,
  password,
  setPassword,
  signIn,
  visitorOf,
} from "./support/visitor.js";

let log = "";
const write = (line: string) => {
  log += line;
};
// Without the redaction of the service's own log, which is a second safeguard.
const service = await testService({ logger: pino({ level: "trace" }, { write }) });

test("the log at its most verbose level has each sign-in, and no password, token or e-mail address", async () => {
  const clinic = await service.clinic();
  const owner = await inviteOwner(service, clinic);
  const { linkToken: token, email } = owner;
  const visitor = visitorOf(service);
  const session = () => visitor.cookies.get("queue_api_session") ?? "";

  await visitor.get(`/dashboard/set-password?token=${token}`);
  await setPassword(visitor, token);
  const first = session();
  await visitor.get("/dashboard/account?marker=1");
  await changePassword(visitor, { current: "marker typed wrongly" });
  await changePassword(visitor);
  const second = session();
  await visitor.get("/dashboard/audit");
  await visitor.submit("/dashboard/sign-out");
  await signIn(visitor, owner, { password: another });
  const last = session();
  const browser = visitor.cookies.get("queue_api_browser") ?? "not there";
  for (let n = 0; n < 10; n++) await signIn(visitor, owner, { password: "marker password" });

  const [{ id } = { id: "" }] = await service.store.accounts.list(clinic.id);
  for (const said of ["a password was set", "a password was changed", "an account signed in"])
    expect(log).toContain(`"accountId":"${id}","msg":"${said}"`);
  expect(log).toContain("sign-ins are throttled");
  expect([first, second, last].map(({ length }) => length)).toEqual([43, 43, 43]);
  const secrets = [token, first, second, last, browser, visitor.formToken];
  for (const word of [...secrets, password, another, email, "marker"]) {
    expect(log, `the log holds ${word}`).not.toContain(word);
  }
});
