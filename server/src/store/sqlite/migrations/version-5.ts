/** Which business is a sandbox, and what a key was made for. Existing businesses are none; existing keys are the owner's. */
export const version5 = `
  ALTER TABLE businesses ADD COLUMN sandbox INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE api_keys ADD COLUMN purpose TEXT NOT NULL DEFAULT 'owner';
`;
