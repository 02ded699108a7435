import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cli, failure, newCli, runHere } from "./command.js";
import { anId, aTimestamp, sunrise } from "./fixtures.js";

interface Invited {
  readonly id: string;
  readonly link: string;
  readonly expiresAt: string;
}

const email = "anna@clinic.example";
const aLink = /^http:\/\/127\.0\.0\.1:3000\/dashboard\/set-password\?token=[a-zA-Z0-9]{43}$/;

let cli: Cli;

beforeEach(async () => {
  cli = await newCli();
  await cli.seed(sunrise);
});

afterEach(() => cli.remove());

const add = ["owner", "add", "--business", "sunrise", "--email", email];
const list = ["owner", "list", "--business", "sunrise"];

describe("owner", () => {
  it("add prints a link with which the owner sets a password within a day", async () => {
    const added = await cli.json<Invited>(add);
    expect(added).toEqual({
      id: anId,
      email,
      link: expect.stringMatching(aLink),
      expiresAt: aTimestamp,
    });
    const hours = (Date.parse(added.expiresAt) - Date.now()) / 3_600_000;
    expect(hours).toBeCloseTo(24, 1);
  });

  it("add prints the link on its own line for a person, and the account that it is for", async () => {
    const { stdout } = await cli.run(add);
    const [link, ...rest] = stdout.split("\n");
    expect(link).toMatch(aLink);
    expect(rest.join("\n")).toContain(email);
  });

  it("add uses the public address of the service in the link", async () => {
    const at = async (settings: NodeJS.ProcessEnv) => {
      const env = { DATABASE_URL: cli.database, ...settings };
      const { stdout } = await runHere(["owner", "link", email], "", env);
      return stdout.split("/dashboard/")[0];
    };
    await cli.run(add);
    expect(await at({ BASE_URL: "https://queue.example/api/" })).toBe("https://queue.example/api");
    expect(await at({ HOST: "0.0.0.0", PORT: "8080" })).toBe("http://localhost:8080");
    expect(await at({ HOST: "::1" })).toBe("http://[::1]:3000");
  });

  it.each<[settings: NodeJS.ProcessEnv, isPrinted: boolean]>([
    [{}, true],
    [{ HOST: "127.0.0.1" }, true],
    [{ PORT: "8080" }, false],
    [{ BASE_URL: "https://queue.example" }, false],
  ])(
    "with the settings %j, a note explains the address of the link: %s",
    async (settings, isPrinted) => {
      const env = { DATABASE_URL: cli.database, ...settings };
      const line =
        /^The link uses BASE_URL, or HOST and PORT. Neither BASE_URL nor PORT is set here/m;
      const added = await runHere(add, "", env);
      const renewed = await runHere(["owner", "link", email], "", env);
      expect([added, renewed].map(({ stdout }) => line.test(stdout))).toEqual([
        isPrinted,
        isPrinted,
      ]);
      expect(await runHere(["owner", "link", email, "--json"], "", env)).toMatchObject({
        stderr: "",
        stdout: expect.not.stringMatching(line),
      });
    },
  );

  it("list prints owners in the order of addition, without any hash", async () => {
    const owner = { id: anId, email, role: "owner", hasPassword: false, createdAt: aTimestamp };
    expect(await cli.json(list)).toEqual([]);
    await cli.run(add);
    await cli.run([...add.slice(0, -1), "bert@clinic.example"]);
    const second = { ...owner, email: "bert@clinic.example" };
    expect(await cli.json(list)).toEqual([owner, second]);
    expect((await cli.run(list)).stdout).toMatch(
      /^E-MAIL .*\nanna@clinic\.example +owner +not set yet /,
    );
  });

  it("list reports that there are no owners", async () => {
    expect((await cli.run(list)).stdout).toBe("No owners or staff.\n");
  });

  it("link creates a new link for an owner", async () => {
    const added = await cli.json<Invited>(add);
    const renewed = await cli.json<Invited>(["owner", "link", email]);
    expect(renewed).toEqual({
      ...added,
      link: expect.stringMatching(aLink),
      expiresAt: aTimestamp,
    });
    expect(renewed.link).not.toBe(added.link);
  });

  it("remove removes an owner and frees the e-mail address", async () => {
    const { id } = await cli.json<Invited>(add);
    const removed = await cli.json(["owner", "remove", email]);
    expect(removed).toEqual({
      id,
      email,
      role: "owner",
      hasPassword: false,
      createdAt: aTimestamp,
    });
    expect(await cli.json(list)).toEqual([]);
    expect(await cli.json<Invited>(add)).toMatchObject({ email });
  });

  it("ignores case and surrounding spaces of an e-mail address", async () => {
    await cli.run([...add.slice(0, -1), " Anna@Clinic.Example "]);
    expect(await cli.json(list)).toMatchObject([{ email }]);
    expect(await cli.json(["owner", "remove", "ANNA@clinic.example"])).toMatchObject({ email });
  });

  it("refuses an address that has an account in the business, and asks which one is meant if several have it", async () => {
    await cli.seed({ businesses: [{ slug: "salon", name: "Salon" }] });
    await cli.run(add);
    const line =
      "this e-mail address has an account; give it a new link with: queue-api owner link EMAIL";
    expect(await cli.run(add)).toEqual(failure(1, line));
    const inAnotherBusiness = [
      "owner",
      "add",
      "--business",
      "salon",
      "--email",
      "Anna@clinic.example",
    ];
    expect((await cli.run(inAnotherBusiness)).code).toBe(0);
    const ambiguous =
      "several businesses have an account with this e-mail address; name one with --business";
    expect(await cli.run(["owner", "link", email])).toEqual(failure(1, ambiguous));
    expect(await cli.run(["owner", "remove", email])).toEqual(failure(1, ambiguous));
    const inSalon = [email, "--business", "salon"];
    expect((await cli.run(["owner", "link", ...inSalon])).code).toBe(0);
    expect((await cli.run(["owner", "remove", ...inSalon])).code).toBe(0);
    expect((await cli.run(["owner", "link", email])).code).toBe(0);
  });

  it.each([
    ["add", ["owner", "add", "--business", "nobody", "--email", email]],
    ["list", ["owner", "list", "--business", "nobody"]],
  ])("%s refuses an unknown business", async (_, args) => {
    const line = "no business has this slug; see: queue-api business list";
    expect(await cli.run(args)).toEqual(failure(1, line));
  });

  it.each(["link", "remove"])("%s refuses an unknown address", async (name) => {
    const line = "no owner has this e-mail address; see: queue-api owner list --business SLUG";
    expect(await cli.run(["owner", name, "nobody@clinic.example"])).toEqual(failure(1, line));
  });

  it.each([
    ["--email", [...add.slice(0, -1), "not an address"]],
    ["EMAIL", ["owner", "link", "anna@"]],
    ["EMAIL", ["owner", "remove", "@clinic.example"]],
  ])("reports an invalid address by its place %s, without the value", async (place, args) => {
    const line = `${place} must be an e-mail address like anna@clinic.example`;
    expect(await cli.run(args)).toEqual(failure(2, line));
  });
});
