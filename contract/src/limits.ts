/** Every number of the document's section 8, and the length of an id, once. Times are in the unit that the name says. */
export const limits = {
  /** Requests a key may make in one window, on all endpoints together. A key may carry its own number. */
  requestsPerMinute: 120,
  /** POST requests a key may make in one window; each counts as a request too. A key may carry its own number. */
  writesPerMinute: 30,
  /** Length of both windows of a key. */
  keyWindowSeconds: 60,
  /** Answers 401 that one address may collect in one window before it is barred. */
  failedSignIns: 30,
  /** Length of an address's window of failed sign-ins. */
  failedSignInWindowSeconds: 600,
  /** Largest request body, counted after inflation. */
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
  /** How long a successful answer can be replayed. */
  idempotencyHours: 24,
  /** How long a row of the audit log is kept. */
  auditRetentionDays: 90,
  /** Length of a customer's name, in Unicode code points. */
  nameLength: { min: 1, max: 120 },
  /** Digits of a phone number, country code included. */
  phoneDigits: { min: 8, max: 20 },
} as const;

/** How long a request may take to arrive, in seconds. One that takes longer is answered 408. */
export const arrivalSeconds = { headers: 20, headersAndBody: 30 } as const;
