/** The clients that the bench compares with, each loaded when it is asked for. */
export const peers = {
  openai: async () => (await import("openai")).default,
  octokit: async () => (await import("@octokit/core")).Octokit,
};

/** The URL of a package's main file; the peers can be resolved only from here. */
export const resolved = (name) => import.meta.resolve(name);
