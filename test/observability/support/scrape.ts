/** A line of a scrape that is not a comment. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Scrape {
  constructor(
    readonly text: string,
    readonly samples: readonly Sample[] = text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map(readSample),
  ) {}

  /** The value of the only series with these labels. Undefined if it does not exist. */
  value(name: string, labels: Sample["labels"] = {}): number | undefined {
    return this.samples.find(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )?.value;
  }

  get series(): string[] {
    return this.samples.map(({ name, labels }) => `${name}${JSON.stringify(labels)}`);
  }
}

function readSample(line: string): Sample {
  const [, name, labels = "", value] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`no line of a scrape: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = "", text = ""]) => [label, text])),
    value: value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value),
  };
}

export const metricsToken = "scraper-0123456789abcdef";

/** Reads the metrics of a service that serves them on its own port. */
export async function scrape(service: { readonly url: string }): Promise<Scrape> {
  const answer = await fetch(`${service.url}/metrics`, {
    headers: { Authorization: `Bearer ${metricsToken}` },
  });
  if (answer.status !== 200) throw new Error(`the scrape was answered ${answer.status}`);
  return new Scrape(await answer.text());
}
