/** The two entries of a transfer: each names the other. */
export const version13 = `
  ALTER TABLE entries ADD COLUMN transferred_to TEXT;
  ALTER TABLE entries ADD COLUMN transferred_from TEXT;
`;
