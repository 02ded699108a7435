/** The two entries of somebody who was moved to another queue: each names the other. */
export const version13 = `
  ALTER TABLE entries ADD COLUMN transferred_to TEXT;
  ALTER TABLE entries ADD COLUMN transferred_from TEXT;
`;
