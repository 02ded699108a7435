// Made from the contract by `npm run generate --workspace sdk`; not to be edited.

/** The words of {@link EntryStatus} that this version knows, for a `switch` over all of them. */
export type KnownEntryStatus = "WAITING" | "IN_SERVICE" | "COMPLETED" | "CANCELED" | "NO_SHOW";

/** State of an entry. `CANCELED` is spelled with one L here. */
export type EntryStatus = KnownEntryStatus | (string & {});

/** The words of {@link AppointmentStatus} that this version knows, for a `switch` over all of them. */
export type KnownAppointmentStatus =
  | "CONFIRMED"
  | "CHECKED_IN"
  | "IN_SERVICE"
  | "COMPLETED"
  | "NO_SHOW"
  | "CANCELLED";

/** State of an appointment. `CANCELLED` is spelled with two Ls here. */
export type AppointmentStatus = KnownAppointmentStatus | (string & {});

/** The words of {@link Scope} that this version knows, for a `switch` over all of them. */
export type KnownScope = "queue:read" | "queue:write" | "appointments:read";

/** A permission of a key. `queue:read` reads queues, entries and services; `queue:write` creates and cancels entries; `appointments:read` reads appointments. */
export type Scope = KnownScope | (string & {});

/** The words of {@link ErrorCode} that this version knows, for a `switch` over all of them. */
export type KnownErrorCode =
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
  | "internal_error";

/** Code of an error of the service. */
export type ErrorCode = KnownErrorCode | (string & {});

/** The API key of the request. */
export interface ApiKey {
  /** Opaque identifier. */
  id: string;
  /** Name that the owner gave to the key. */
  name: string;
  /** Permissions of the key. */
  scopes: Scope[];
  /** Time at which the key expires, ISO 8601 in UTC; null if it does not expire. */
  expiresAt: string | null;
}

/** An appointment. The API can only read it. */
export interface Appointment {
  /** Opaque identifier. */
  id: string;
  /** Day of the appointment, `YYYY-MM-DD` in the business's time zone. */
  date: string;
  /** Time at which it starts, `HH:MM` (24 hours) in the business's time zone. */
  slotTime: string;
  /** Planned duration in minutes. */
  durationMinutes: number;
  status: AppointmentStatus;
  /** Service that the customer comes for; null if none was given. */
  serviceId: string | null;
  customer: Customer;
}

/** The business that the key belongs to. */
export interface Business {
  /** Name of the business. */
  name: string;
  /** Short name of the business. */
  slug: string;
  /** Kind of business; null if not given. */
  category: string | null;
  /** IANA name of the time zone for dates and times of day; null means UTC. */
  timezone: string | null;
}

/** The customer and the service of a new token. */
export interface CreateEntryRequest {
  /** The customer's name, 1 to 120 characters. */
  name: string;
  /** Phone number with the country code: 8 to 20 digits in at most 20 characters. Spaces, dashes, brackets and a leading + (not counted) are allowed. The service stores only the digits. */
  phone: string;
  /** Service that the customer comes for. It must be an active service of the business. */
  serviceId?: string | undefined;
}

/** The person that an entry or an appointment is for. */
export interface Customer {
  /** Name, exactly as it was sent; null if unknown. */
  name: string | null;
  /** Phone number as digits with the country code; null if unknown. */
  phone: string | null;
}

/** A queue token. */
export interface Entry {
  /** Opaque identifier. */
  id: string;
  /** Label of the token, as the customer sees it. */
  token: string;
  /** Letters at the start of the queue's labels. */
  tokenSeries: string;
  /** Number of the token. Starts at 1 each business day. The service may skip a number, but never uses one twice. */
  tokenNumber: number;
  status: EntryStatus;
  /** Whether the entry is served before entries without priority. */
  priority: boolean;
  /** Service that the customer comes for; null if none was given. */
  serviceId: string | null;
  customer: Customer;
  /** Time at which the token was created, ISO 8601 in UTC. */
  issuedAt: string;
  /** Time at which service started, ISO 8601 in UTC; null before that. */
  startedAt: string | null;
  /** Time at which service ended, ISO 8601 in UTC; null before that. */
  completedAt: string | null;
  /** Time at which the entry was canceled, ISO 8601 in UTC; null if it was not canceled. */
  canceledAt: string | null;
  /** Estimated minutes until service starts; null if unknown. */
  predictedWaitMinutes: number | null;
}

/** A queue token and its place in the line. */
export interface EntryWithPosition extends Entry {
  /** Place in the line: 1 is next. Null unless `status` is `WAITING`. */
  position: number | null;
}

/** One invalid field of a request, with the reason. It never contains the submitted value. */
export interface ErrorDetail {
  /** Name of the field, query parameter or header. */
  field: string;
  /** Reason why it is invalid. */
  message: string;
}

/** Limits of the key. */
export interface KeyLimits {
  /** Maximum number of requests in a window of 60 seconds. */
  requestsPerMinute: number;
  /** Maximum number of `POST` requests in the same time. Each also counts as a request. */
  writesPerMinute: number;
  /** Maximum size of a request body in bytes. */
  maxBodyBytes: number;
}

/** The API key of the request, its business and its limits. */
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
  /** Whether the queue is active. An inactive queue refuses new tokens with `queue_unavailable`. */
  isActive: boolean;
  /** While true, the queue refuses new tokens with `queue_paused`. */
  isTokenCreationPaused: boolean;
}

/** Number of entries of one day in each state. */
export interface QueueCounts {
  /** Number of entries in state `WAITING`. */
  waiting: number;
  /** Number of entries in state `IN_SERVICE`. */
  inService: number;
  /** Number of entries in state `COMPLETED`. */
  completed: number;
  /** Number of entries in state `CANCELED`. */
  canceled: number;
  /** Number of entries in state `NO_SHOW`. */
  noShow: number;
}

/** A queue with the counts of one day. */
export interface QueueSummary extends Queue {
  /** Day that the counts are for, `YYYY-MM-DD` in the business's time zone. */
  date: string;
  counts: QueueCounts;
  /** Average estimated wait of the entries that wait now, in minutes; null if no entry waits or if it is unknown. A person who comes now waits longer: see `predictedWaitMinutes` of their entry. */
  averageWaitMinutes: number | null;
}

/** Something that the business does for customers. */
export interface Service {
  /** Opaque identifier. */
  id: string;
  /** Name of the service. */
  name: string;
  /** Price in whole currency units (rupees); null if there is none. */
  price: number | null;
  /** Usual duration in minutes; null if unknown. */
  baseTimeMinutes: number | null;
}

/** The input and the result of each operation, by the method that sends it. */
export interface Operations {
  "me.get": { data: Me };
  "services.list": { data: Service[] };
  "queues.list": { data: Queue[] };
  "queues.get": {
    params: { queueId: string };
    query: {
      /** Day to count, `YYYY-MM-DD` in the business's time zone. Default: today. */
      date?: string | undefined;
    };
    data: QueueSummary;
  };
  "entries.list": {
    params: { queueId: string };
    query: {
      /** Return only entries in this state. Default: all entries. */
      status?: EntryStatus | undefined;
      /** Day to list, `YYYY-MM-DD` in the business's time zone. Default: today; with a `cursor`, the cursor's day. */
      date?: string | undefined;
      /** Items per page. */
      limit?: number | undefined;
      /** The `nextCursor` of the previous page. If the first page was requested with a `date`, send the same `date`. Without `date`, the page is for the cursor's day, so that a client can read a list to its end after midnight. */
      cursor?: string | undefined;
    };
    data: Entry[];
  };
  "entries.create": {
    params: { queueId: string };
    body: CreateEntryRequest;
    data: EntryWithPosition;
  };
  "entries.get": { params: { entryId: string }; data: EntryWithPosition };
  "entries.cancel": { params: { entryId: string }; data: Entry };
  "appointments.list": {
    query: {
      /** Day to list, `YYYY-MM-DD` in the business's time zone. Default: today; with a `cursor`, the cursor's day. */
      date?: string | undefined;
      /** Items per page. */
      limit?: number | undefined;
      /** The `nextCursor` of the previous page. If the first page was requested with a `date`, send the same `date`. Without `date`, the page is for the cursor's day, so that a client can read a list to its end after midnight. */
      cursor?: string | undefined;
    };
    data: Appointment[];
  };
  "appointments.get": { params: { appointmentId: string }; data: Appointment };
}
