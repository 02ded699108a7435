/** What an account may do, and which account a row of the audit log is of. */
export const version12 = `
  ALTER TABLE owners ADD COLUMN role TEXT NOT NULL DEFAULT 'owner';
  ALTER TABLE audit ADD COLUMN account TEXT;
`;
