/**
 * How often an entry was changed and called, and which counter called it last. No trigger names the new columns:
 * every change sets the state as well, which they do name.
 */
export const version9 = `
  ALTER TABLE entries ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE entries ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE entries ADD COLUMN counter TEXT;
`;
