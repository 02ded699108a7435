import { routes } from "@queue-api/contract";
import { expect } from "vitest";
import type { Clinic } from "../../support/clinic.js";
import { wideKey } from "../../support/seed.js";
import type { Service } from "../../support/service.js";

export type Language = "curl" | "typescript" | "python" | "go";

/** A sample as a reader copies it, with the reader's ids in place of the example ids. */
interface CopiedSample {
  readonly operation: string;
  readonly code: string;
}

interface Ids {
  readonly queueId: string;
  readonly serviceId: string;
  readonly appointmentId: string;
  /** An entry that is read, and one that is canceled. */
  readonly entryId: string;
  readonly canceledId: string;
}

/** What each sample prints: an id, or a text. */
const outputs: Readonly<Record<string, readonly (keyof Ids | RegExp)[]>> = {
  getMe: [/Sunrise Clinic/],
  listServices: ["serviceId"],
  listQueues: ["queueId"],
  getQueue: ["queueId", /inService/],
  listEntries: ["entryId", /WAITING/],
  createEntry: ["serviceId", /Customer 1/, /position/],
  getEntry: ["entryId", /position/],
  cancelEntry: ["canceledId", /CANCELED/],
  listAppointments: ["appointmentId"],
  getAppointment: ["appointmentId"],
  getOpenApi: [/3\.1\.\d/],
  getIndex: [/Queue API/],
};

const languages = ["curl", "typescript", "python", "go"] as const;
const operations = Object.values(routes)
  .flatMap((noun) => Object.values(noun))
  .map(({ metadata }) => metadata.operationId);

/** The samples of one language on the pages of a service, ready to run in a new clinic. */
export interface Samples {
  readonly all: readonly CopiedSample[];
  readonly key: string;
  /** Fails unless each sample printed the expected output and the creation issued one token. */
  check(printed: ReadonlyMap<string, string>): Promise<void>;
}

export async function samplesIn(service: Service, language: Language): Promise<Samples> {
  const clinic = await service.clinic({
    queues: [
      {
        ref: "front",
        name: "Front desk",
        entries: [{ ref: "read" }, { ref: "canceled" }],
      },
    ],
    appointments: [{ ref: "checkup", slotTime: "10:30" }],
    keys: [wideKey],
  });
  const ids: Ids = {
    queueId: clinic.queue(),
    serviceId: clinic.service(),
    appointmentId: clinic.appointment("checkup"),
    entryId: clinic.entry("read"),
    canceledId: clinic.entry("canceled"),
  };
  const examples = await examplesOf(service);
  const copied = await Promise.all(
    operations.map(async (operation) => {
      const page = await (await fetch(`${service.url}/docs/reference/${operation}`)).text();
      const own = { ...ids, ...(operation === "cancelEntry" && { entryId: ids.canceledId }) };
      return { operation, code: withOwnIds(sampleOn(page, language), examples, own) };
    }),
  );
  return { all: copied, key: clinic.key(), check: (printed) => check(printed, ids, clinic) };
}

async function check(
  printed: ReadonlyMap<string, string>,
  ids: Ids,
  clinic: Clinic,
): Promise<void> {
  expect([...printed.keys()]).toEqual(operations);
  for (const [operation, output] of printed) {
    const expected = outputs[operation] ?? [/the table has no such operation/];
    for (const part of expected) {
      expect(output).toMatch(part instanceof RegExp ? part : new RegExp(ids[part]));
    }
  }
  expect((await clinic.client().entries(ids.queueId)).data).toHaveLength(3);
}

/** The code of a language on a page, as a browser shows it. */
function sampleOn(page: string, language: Language): string {
  const shown = [...page.matchAll(/<div class="sample (\w+)">.*?<code>(.*?)<\/code>/gs)];
  expect(shown.map(([, name]) => name)).toEqual(languages);
  const [, , code = ""] = shown.find(([, name]) => name === language) ?? [];
  return code
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** The ids of the examples in the OpenAPI document, by parameter or field. */
async function examplesOf({ url }: Service): Promise<ReadonlyMap<string, string>> {
  const document = await (await fetch(`${url}/v1/openapi.json`)).text();
  const found = new Map<string, string>();
  JSON.parse(document, (name, value) => {
    if (value?.in === "path") found.set(value.name, value.example);
    if (name === "serviceId" && typeof value === "string") found.set(name, value);
    return value;
  });
  return found;
}

function withOwnIds(code: string, examples: ReadonlyMap<string, string>, ids: Ids): string {
  let own = code;
  for (const [name, example] of examples) own = own.replaceAll(example, ids[name as keyof Ids]);
  return own;
}
