/**
 * What is kept for a replay is the receipt alone. Earlier versions kept an HTTP answer, and for a walk-in,
 * which has no URL, the label of its token.
 */
export const version6 = `
  ALTER TABLE idempotency ADD COLUMN receipt TEXT;
  UPDATE idempotency SET receipt = iif(answer_location = '',
    json_object('data', json_object('token', answer_body)),
    answer_body)
  WHERE answer_status IS NOT NULL;
  ALTER TABLE idempotency DROP COLUMN answer_status;
  ALTER TABLE idempotency DROP COLUMN answer_body;
  ALTER TABLE idempotency DROP COLUMN answer_location;
`;
