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

/** Checks the output of a sample. `ids`: the ids of the clinic. */
type OutputCheck = (output: string, ids: Ids) => void;

interface Ids {
  readonly queueId: string;
  readonly serviceId: string;
  readonly appointmentId: string;
  /** An entry that is read, and one that is canceled. */
  readonly entryId: string;
  readonly canceledId: string;
}

const shows =
  (...parts: (keyof Ids | RegExp)[]): OutputCheck =>
  (output, ids) => {
    for (const part of parts) {
      if (part instanceof RegExp) expect(output).toMatch(part);
      else expect(output).toContain(ids[part]);
    }
  };

const outputChecks: Readonly<Record<string, OutputCheck>> = {
  getMe: shows(/Sunrise Clinic/),
  listServices: shows("serviceId"),
  listQueues: shows("queueId"),
  getQueue: shows("queueId", /inService/),
  listEntries: shows("entryId", /WAITING/),
  createEntry: shows("serviceId", /Customer 1/, /position/),
  getEntry: shows("entryId", /position/),
  cancelEntry: shows("canceledId", /CANCELED/),
  listAppointments: shows("appointmentId"),
  getAppointment: shows("appointmentId"),
  getOpenApi: shows(/3\.1\.\d/),
  getIndex: shows(/Queue API/),
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
  check(outputs: ReadonlyMap<string, string>): Promise<void>;
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
  return { all: copied, key: clinic.key(), check: (outputs) => check(outputs, ids, clinic) };
}

async function check(
  outputs: ReadonlyMap<string, string>,
  ids: Ids,
  clinic: Clinic,
): Promise<void> {
  expect([...outputs.keys()]).toEqual(operations);
  expect(Object.keys(outputChecks).toSorted()).toEqual(operations.toSorted());
  for (const [operation, output] of outputs) outputChecks[operation]?.(output, ids);
  const { json } = await clinic.client().get(`/v1/queues/${ids.queueId}/entries`);
  expect((json as { data: unknown[] }).data).toHaveLength(3);
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
