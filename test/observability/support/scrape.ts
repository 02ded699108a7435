export const metricsToken = "scraper-0123456789abcdef";

type Labels = Readonly<Record<string, string>>;

export type Scrape = Awaited<ReturnType<typeof scrape>>;

/** Reads the metrics of a service that serves them on its own port. */
export async function scrape(service: { readonly url: string }) {
  const headers = { Authorization: `Bearer ${metricsToken}` };
  const answer = await fetch(`${service.url}/metrics`, { headers });
  if (answer.status !== 200) throw new Error(`the scrape was answered ${answer.status}`);
  const text = await answer.text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const samples = lines.map(readSample);
  return {
    text,
    samples,
    /** The value of the first series with these labels. Undefined if there is none. */
    value: (name: string, labels: Labels = {}) =>
      samples.find((sample) => {
        const has = ([label, value]: [string, string]) => sample.labels[label] === value;
        return sample.name === name && Object.entries(labels).every(has);
      })?.value,
  };
}

function readSample(line: string) {
  const [, name, written = "", value] = /^([a-z_0-9]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`no line of a scrape: ${line}`);
  const pairs = [...written.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  const labels: Labels = Object.fromEntries(
    pairs.map(([, label = "", text = ""]) => [label, text]),
  );
  return { name, labels, value: Number(value) };
}
