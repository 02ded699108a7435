import { expect, test } from "vitest";
import { hashSecret } from "../../server/src/rules/key.js";
import { gate } from "../support/gate.js";
import { held } from "../support/interposed.js";
import { testService } from "../support/service.js";
import { displayLinkIn, displayOf, makeDisplayLink } from "./support/display.js";
import { errorAt } from "./support/html.js";
import { busyDesk, visitorOf } from "./support/visitor.js";

const service = await testService();
const settings = "/dashboard/settings";

/** What a stranger sees at a link. */
const shown = async (link: string) => visitorOf(service).get(link.slice(service.url.length));

test("opens the display without a sign-in, and shows tokens but no names or phone numbers", async () => {
  const { clinic, link } = await displayOf(service);
  const { body, status } = await shown(link);
  expect(status).toBe(200);
  for (const token of ["A4", "A5", "A6", "A7"]) expect(body).toContain(`<b>${token}</b>`);
  expect(body).not.toMatch(/Person|9198/);
  const refresh = /<noscript><meta http-equiv="refresh" content="\d+">/;
  expect(body.replaceAll(/\s+/g, " ")).toMatch(refresh); // without scripts
  const stored = await service.store.businesses.find("id", clinic.id);
  expect(stored?.displayHash).toBe(hashSecret(link.split("/").at(-1) ?? ""));
});

test("is shown once, and stops working when it is replaced or revoked", async () => {
  const { visitor, link } = await displayOf(service);
  const page = (await visitor.get(settings)).body;
  expect(page).not.toContain(new URL(link).pathname);
  expect(page).toContain("/settings/display/revoke");
  for (const path of ["", "/revoke"]) // asks first
    expect((await visitor.get(`${settings}/display${path}`)).body).toContain("goes dark");
  const made = await makeDisplayLink(visitor);
  expect((await shown(link)).status).toBe(404);
  const next = displayLinkIn(made.body);
  expect((await shown(next)).status).toBe(200);
  // The same form again, by a reload of its answer.
  const again = await visitor.submitAndFollow(`${settings}/display`, { replaces: "before" });
  expect(again.body).toContain("The link has changed since that page was opened");
  expect((await shown(next)).status).toBe(200);
  await visitor.submit(`${settings}/display/revoke`);
  expect((await shown(next)).status).toBe(404);
});

test("of two links that are made at one moment, one is made", async () => {
  const change = gate();
  const service = await testService({
    interpose: held("businesses", "change", { before: change }),
  });
  const { visitor } = await busyDesk(service);
  change.close();
  const submitted = [1, 2].map(() => visitor.submit(`${settings}/display`, { replaces: "" }));
  await change.reached(2);
  change.open();
  const made = await Promise.all(submitted);
  expect(made.map(({ status }) => status).toSorted()).toEqual([201, 303]);
  const [first] = made.filter(({ status }) => status === 201);
  const link = displayLinkIn(first?.body ?? "");
  expect((await visitorOf(service).get(new URL(link).pathname)).status).toBe(200);
});

test("shows what the owner chose at any time, also after it is replaced, or what its URL names", async () => {
  const { clinic, visitor, link } = await displayOf(service);
  const lab = clinic.queue("lab");
  const options = `${settings}/display/options`;
  await visitor.submit(options, { theme: "dark", size: "150", queue: lab });
  const replaced = displayLinkIn((await makeDisplayLink(visitor)).body);
  expect(replaced).not.toBe(link);
  const dark = (await shown(replaced)).body;
  for (const text of ['data-size="150"', 'content="dark"']) expect(dark).toContain(text);
  expect(dark).not.toContain("Front desk");
  expect((await shown(`${replaced}?size=75&queue=${clinic.queue()}`)).body).toMatch(
    /data-size="75".*Front desk/s,
  );
  const page = async () => (await visitor.get(settings)).body;
  for (const value of ["dark", "150"])
    expect(await page()).toContain(`<option value="${value}" selected>`);
  const checked = async () =>
    [...(await page()).matchAll(/name="queue" value="(\w+)" checked/g)].map(([, id]) => id);
  expect(await checked()).toEqual([lab]);
  await visitor.submit(options, { theme: "", size: "", queue: [lab, clinic.queue()] });
  expect((await shown(replaced)).body).toMatch(/Front desk.*Laboratory/s);

  const none = await visitor.submit(options, { theme: "light", size: "" });
  expect(none.status).toBe(422);
  expect(errorAt(none.body, "queue")).toContain("Tick at least one queue");
  expect(none.body).toContain('<option value="light" selected>');
  expect(none.body).not.toMatch(/name="queue" value="\w+" checked/);
  expect((await shown(replaced)).body).toMatch(/Front desk.*Laboratory/s);

  // All queues, in the settings too, when none of the chosen ones is left.
  await visitor.submit(options, { queue: lab });
  await visitor.submit("/dashboard/queues", { name: "X-ray", tokenSeries: "X", isActive: "on" });
  await visitor.submit(`/dashboard/queues/${lab}/remove`);
  expect((await shown(replaced)).body).toMatch(/Front desk.*X-ray/s);
  expect(await checked()).toHaveLength(2);
});

test.each([
  ["", "light dark", "(prefers-color-scheme: dark)"],
  ["?theme=dark", "dark", "all"],
  ["?theme=light", "light", "not all"],
])("has the theme of its URL (%j), or else that of the screen", async (theme, scheme, whenDark) => {
  const { body } = await shown((await displayOf(service)).link + theme);
  expect(body).toContain(`<meta name="color-scheme" content="${scheme}">`);
  expect(/dark\.\w+\.css" media="(.*?)"/.exec(body)?.[1]).toBe(whenDark);
});
