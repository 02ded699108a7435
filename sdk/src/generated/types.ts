// Made from the contract by `npm run generate --workspace sdk`; not to be edited.

/** Where an entry stands. `CANCELED` has one L here. */
export type EntryStatus =
  | "WAITING"
  | "IN_SERVICE"
  | "COMPLETED"
  | "CANCELED"
  | "NO_SHOW"
  | (string & {});

/** Where an appointment stands. `CANCELLED` has two Ls here. */
export type AppointmentStatus =
  | "CONFIRMED"
  | "CHECKED_IN"
  | "IN_SERVICE"
  | "COMPLETED"
  | "NO_SHOW"
  | "CANCELLED"
  | (string & {});

/** What a key may do: read queues, entries and services; create and cancel entries; read appointments. */
export type Scope = "queue:read" | "queue:write" | "appointments:read" | (string & {});

/** Code of an error that the service answers with. */
export type ErrorCode =
  | "invalid_request"
  | "invalid_json"
  | "unauthorized"
  | "insufficient_scope"
  | "api_access_disabled"
  | "ip_not_allowed"
  | "plan_limit_reached"
  | "not_found"
  | "request_timeout"
  | "queue_paused"
  | "queue_unavailable"
  | "invalid_state"
  | "request_in_progress"
  | "payload_too_large"
  | "unsupported_media_type"
  | "idempotency_key_reuse"
  | "rate_limited"
  | "too_many_failed_attempts"
  | "internal_error"
  | (string & {});

/** The key that asks. */
export interface ApiKey {
  /** Opaque identifier. */
  id: string;
  /** Name that the owner gave the key. */
  name: string;
  /** What the key may do. */
  scopes: Scope[];
  /** When the key stops working, ISO 8601 in UTC; null for never. */
  expiresAt: string | null;
}

/** An appointment, read only. */
export interface Appointment {
  /** Opaque identifier. */
  id: string;
  /** The day of the appointment, `YYYY-MM-DD` in the business's time zone. */
  date: string;
  /** When it begins, `HH:MM` of 24 hours in the business's time zone. */
  slotTime: string;
  /** Minutes set aside for it. */
  durationMinutes: number;
  status: AppointmentStatus;
  /** What the customer comes for; null when no service was named. */
  serviceId: string | null;
  customer: Customer;
}

/** The business that the key belongs to. */
export interface Business {
  /** Name of the business. */
  name: string;
  /** Its short name. */
  slug: string;
  /** What kind of business it is; null when unsaid. */
  category: string | null;
  /** IANA time zone name; dates and times of day use it. null means UTC. */
  timezone: string | null;
}

/** What a new queue token is made of. */
export interface CreateEntryRequest {
  /** The customer's name, 1 to 120 characters. */
  name: string;
  /** Phone number with the country code: 8 to 20 digits in at most 20 characters. Spaces, dashes, brackets and a leading + (not counted) are allowed; stored as digits. */
  phone: string;
  /** What the customer comes for: an active service of the business. */
  serviceId?: string | undefined;
}

/** The person an entry or an appointment is for. */
export interface Customer {
  /** As it was sent; null when unknown. */
  name: string | null;
  /** Digits only, with the country code; null when unknown. */
  phone: string | null;
}

/** A queue token. */
export interface Entry {
  /** Opaque identifier. */
  id: string;
  /** The label the customer sees. */
  token: string;
  /** Letters of the queue's labels. */
  tokenSeries: string;
  /** Counts from 1 each business day. A number may be skipped, and is never used twice. */
  tokenNumber: number;
  status: EntryStatus;
  /** Whether the entry goes before those without priority. */
  priority: boolean;
  /** What the customer comes for; null when no service was named. */
  serviceId: string | null;
  customer: Customer;
  /** When the token was created, ISO 8601 in UTC. */
  issuedAt: string;
  /** When serving began, ISO 8601 in UTC; null before that. */
  startedAt: string | null;
  /** When serving ended, ISO 8601 in UTC; null before that. */
  completedAt: string | null;
  /** When the entry was canceled, ISO 8601 in UTC; null unless it was. */
  canceledAt: string | null;
  /** Estimated minutes until served; null when unknown. */
  predictedWaitMinutes: number | null;
}

/** A queue token and its place in the line. */
export interface EntryWithPosition {
  /** Opaque identifier. */
  id: string;
  /** The label the customer sees. */
  token: string;
  /** Letters of the queue's labels. */
  tokenSeries: string;
  /** Counts from 1 each business day. A number may be skipped, and is never used twice. */
  tokenNumber: number;
  status: EntryStatus;
  /** Whether the entry goes before those without priority. */
  priority: boolean;
  /** What the customer comes for; null when no service was named. */
  serviceId: string | null;
  customer: Customer;
  /** When the token was created, ISO 8601 in UTC. */
  issuedAt: string;
  /** When serving began, ISO 8601 in UTC; null before that. */
  startedAt: string | null;
  /** When serving ended, ISO 8601 in UTC; null before that. */
  completedAt: string | null;
  /** When the entry was canceled, ISO 8601 in UTC; null unless it was. */
  canceledAt: string | null;
  /** Estimated minutes until served; null when unknown. */
  predictedWaitMinutes: number | null;
  /** 1 means next; null unless status is `WAITING`. */
  position: number | null;
}

/** One wrong field of a request and why. Never repeats what was submitted. */
export interface ErrorDetail {
  /** Name of the field, parameter or header. */
  field: string;
  /** What is wrong with it. */
  message: string;
}

/** How much the key may ask for. */
export interface KeyLimits {
  /** Requests in one window of 60 seconds. */
  requestsPerMinute: number;
  /** POST requests in the same time; each counts as a request too. */
  writesPerMinute: number;
  /** Bytes of the largest request body. */
  maxBodyBytes: number;
}

/** The key that asks, its business and its limits. */
export interface Me {
  business: Business;
  key: ApiKey;
  limits: KeyLimits;
}

/** A line of people. */
export interface Queue {
  /** Opaque identifier. */
  id: string;
  /** Name of the queue. */
  name: string;
  /** Whether the queue is open. A creation on a closed one is refused: `queue_unavailable`. */
  isActive: boolean;
  /** While true, a creation is refused: `queue_paused`. */
  isTokenCreationPaused: boolean;
}

/** Entries of the day by state. */
export interface QueueCounts {
  /** Entries that are `WAITING`. */
  waiting: number;
  /** Entries that are `IN_SERVICE`. */
  inService: number;
  /** Entries that are `COMPLETED`. */
  completed: number;
  /** Entries that are `CANCELED`. */
  canceled: number;
  /** Entries that are `NO_SHOW`. */
  noShow: number;
}

/** A queue with the counts of one day. */
export interface QueueSummary {
  /** Opaque identifier. */
  id: string;
  /** Name of the queue. */
  name: string;
  /** Whether the queue is open. A creation on a closed one is refused: `queue_unavailable`. */
  isActive: boolean;
  /** While true, a creation is refused: `queue_paused`. */
  isTokenCreationPaused: boolean;
  /** The day counted, `YYYY-MM-DD` in the business's time zone. */
  date: string;
  counts: QueueCounts;
  /** Average estimated wait of the people waiting now; null when nobody waits or it is unknown. */
  averageWaitMinutes: number | null;
}

/** Something the business does for people. */
export interface Service {
  /** Opaque identifier. */
  id: string;
  /** Name of the service. */
  name: string;
  /** Whole currency units (rupees); null when there is none. */
  price: number | null;
  /** Minutes the service usually takes; null when unknown. */
  baseTimeMinutes: number | null;
}

/** What each operation takes, and what `data` of its answer holds. */
export interface Operations {
  /** The key, its business and its limits. `GET /v1/me` */
  getMe: {
    params: undefined;
    query: undefined;
    body: undefined;
    data: Me;
  };

  /** List active services. `GET /v1/services` */
  listServices: {
    params: undefined;
    query: undefined;
    body: undefined;
    data: Service[];
  };

  /** List queues. `GET /v1/queues` */
  listQueues: {
    params: undefined;
    query: undefined;
    body: undefined;
    data: Queue[];
  };

  /** A queue with a day's counts. `GET /v1/queues/:queueId` */
  getQueue: {
    params: {
      /** Identifier of the queue. */
      queueId: string;
    };
    query: {
      /** The day to count, `YYYY-MM-DD` in the business's time zone. Default: today. */
      date?: string | undefined;
    };
    body: undefined;
    data: QueueSummary;
  };

  /** List a day's entries in token order. `GET /v1/queues/:queueId/entries` */
  listEntries: {
    params: {
      /** Identifier of the queue. */
      queueId: string;
    };
    query: {
      /** Only entries in this state; all by default. */
      status?: EntryStatus | undefined;
      /** The day to list, `YYYY-MM-DD` in the business's time zone. Default: today; with a `cursor`, the cursor's day. */
      date?: string | undefined;
      /** Items per page. */
      limit?: number | undefined;
      /** The `nextCursor` of the previous page. Send it with the `date` that the first page was asked for with. Without `date`, the page belongs to the cursor's day, so that a list can be read to its end after midnight. */
      cursor?: string | undefined;
    };
    body: undefined;
    data: Entry[];
  };

  /** Create a token. `POST /v1/queues/:queueId/entries` */
  createEntry: {
    params: {
      /** Identifier of the queue. */
      queueId: string;
    };
    query: undefined;
    body: CreateEntryRequest;
    data: EntryWithPosition;
  };

  /** An entry with its live position. `GET /v1/entries/:entryId` */
  getEntry: {
    params: {
      /** Identifier of the entry. */
      entryId: string;
    };
    query: undefined;
    body: undefined;
    data: EntryWithPosition;
  };

  /** Cancel a waiting entry. `POST /v1/entries/:entryId/cancel` */
  cancelEntry: {
    params: {
      /** Identifier of the entry. */
      entryId: string;
    };
    query: undefined;
    body: undefined;
    data: Entry;
  };

  /** List a day's appointments. `GET /v1/appointments` */
  listAppointments: {
    params: undefined;
    query: {
      /** The day to list, `YYYY-MM-DD` in the business's time zone. Default: today; with a `cursor`, the cursor's day. */
      date?: string | undefined;
      /** Items per page. */
      limit?: number | undefined;
      /** The `nextCursor` of the previous page. Send it with the `date` that the first page was asked for with. Without `date`, the page belongs to the cursor's day, so that a list can be read to its end after midnight. */
      cursor?: string | undefined;
    };
    body: undefined;
    data: Appointment[];
  };

  /** An appointment. `GET /v1/appointments/:appointmentId` */
  getAppointment: {
    params: {
      /** Identifier of the appointment. */
      appointmentId: string;
    };
    query: undefined;
    body: undefined;
    data: Appointment;
  };
}
