import { importTool } from "#tools";

/** The other clients, which only the bench installs. */
const { peers } = await importTool("bench", "peers.js");

/** Where a client reads one entry. */
export interface Target {
  /** For example `http://127.0.0.1:3000`. */
  readonly origin: string;
  readonly key: string;
  readonly entryId: string;
}

/** Reads the entry once. */
type Read = () => Promise<unknown>;

/** Every client under its name. Each is set up in the way in which it is fastest. */
export const clients = {
  async ours({ origin, key, entryId }: Target): Promise<Read> {
    const { QueueApi } = await import("@queue-api/sdk");
    const api = new QueueApi({ apiKey: key, baseUrl: origin });
    return () => api.entries.get(entryId);
  },

  async fetch({ origin, key, entryId }: Target): Promise<Read> {
    const url = `${origin}/v1/entries/${entryId}`;
    const headers = { authorization: `Bearer ${key}` };
    return async () => (await fetch(url, { headers })).json();
  },

  /** What ours sends with, alone. */
  async ky({ origin, key, entryId }: Target): Promise<Read> {
    const { default: ky } = await import("ky");
    const url = `${origin}/v1/entries/${entryId}`;
    const headers = { authorization: `Bearer ${key}` };
    return () => ky.get(url, { headers }).json();
  },

  async openai({ origin, key, entryId }: Target): Promise<Read> {
    const OpenAI = await peers.openai();
    const openai = new OpenAI({ apiKey: key, baseURL: `${origin}/v1` });
    return () => openai.get(`/entries/${entryId}`);
  },

  /** What octokit sends with, without its throttling. */
  async octokit({ origin, key, entryId }: Target): Promise<Read> {
    const Octokit = await peers.octokit();
    const octokit = new Octokit({ auth: key, baseUrl: origin });
    return () => octokit.request(`GET /v1/entries/${entryId}`);
  },
};

export type ClientName = keyof typeof clients;
