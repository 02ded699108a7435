/** The entry that somebody with an appointment was given when they came. */
export const version11 = `
  ALTER TABLE appointments ADD COLUMN entry_id TEXT;
`;
