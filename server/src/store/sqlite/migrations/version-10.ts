/** From when on a wait is long, and the link to the waiting-room display. Existing businesses have neither. */
export const version10 = `
  ALTER TABLE businesses ADD COLUMN long_wait_minutes INTEGER;
  ALTER TABLE businesses ADD COLUMN display_hash TEXT;
  CREATE UNIQUE INDEX businesses_by_display ON businesses (display_hash)
    WHERE display_hash IS NOT NULL;
`;
