/**
 * Every number in section 8 of the document, the length of an id, and the tokens that a queue gives in a day. The name
 * of a time includes its unit.
 */
export const limits = {
  /** Requests that a key may make in one window, over all endpoints. A key can have its own limit. */
  requestsPerMinute: 120,
  /**
   * POST requests that a key may make in one window. Each also counts as a request. A key can have its own
   * limit.
   */
  writesPerMinute: 30,
  /** Length of both windows of a key. */
  keyWindowSeconds: 60,
  /** 401 responses that one address may receive in one window before it is barred. */
  failedSignIns: 30,
  /** Length of an address's window of failed sign-ins. */
  failedSignInWindowSeconds: 600,
  /** Largest request body in bytes, measured after decompression. */
  maxBodyBytes: 32_768,
  /** Items on one page of a list. */
  pageSize: { min: 1, max: 100, default: 50 },
  /** Keys of one business that are neither revoked nor expired. */
  activeKeys: 10,
  /** How long a key may live. */
  keyLifetimeDays: { min: 1, max: 365, default: 90 },
  /** Characters of an id. */
  idLength: { min: 20, max: 32 },
  /** Characters of an Idempotency-Key. */
  idempotencyKeyLength: { min: 8, max: 64 },
  /** Tokens that a queue gives on one business day. Past it, creation is refused with `plan_limit_reached`. */
  queueTokensPerDay: 10_000,
  /** How long a successful response can be replayed. */
  idempotencyHours: 24,
  /** How long a row of the audit log is stored. */
  auditRetentionDays: 90,
  /** Length of a customer's name, in Unicode code points. */
  nameLength: { min: 1, max: 120 },
  /** Digits of a phone number, including the country code. */
  phoneDigits: { min: 8, max: 20 },
} as const;

/** How long a request may take to arrive, in seconds. A slower one receives 408. */
export const arrivalSeconds = { headers: 20, headersAndBody: 30 } as const;
