/** The entry that a check-in issued for an appointment. */
export const version11 = `
  ALTER TABLE appointments ADD COLUMN entry_id TEXT;
`;
