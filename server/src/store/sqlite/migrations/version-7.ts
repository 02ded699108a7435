/** Requests that are recorded together: how many, until when, and what the sum is found by. */
export const version7 = `
  ALTER TABLE audit ADD COLUMN count INTEGER;
  ALTER TABLE audit ADD COLUMN last_at INTEGER;
  ALTER TABLE audit ADD COLUMN sum_name TEXT;
  CREATE UNIQUE INDEX audit_sums ON audit (sum_name) WHERE sum_name IS NOT NULL;
`;
