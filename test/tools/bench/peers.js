/** The clients that the bench compares with, each loaded when it is asked for. */
export const peers = {
  stripe: async () => (await import("stripe")).default,
  openai: async () => (await import("openai")).default,
  octokit: async () => (await import("@octokit/core")).Octokit,
};
