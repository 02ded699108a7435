// Made from the contract by `npm run generate --workspace sdk`; not to be edited.

/** State of an entry. */
export type EntryStatus =
  | "WAITING"
  | "IN_SERVICE"
  | "COMPLETED"
  | "CANCELED"
  | "NO_SHOW"
  | (string & {});

/** State of an appointment. */
export type AppointmentStatus =
  | "CONFIRMED"
  | "CHECKED_IN"
  | "IN_SERVICE"
  | "COMPLETED"
  | "NO_SHOW"
  | "CANCELLED"
  | (string & {});

/** What a key may do. */
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

/** An appointment, read only. */
export interface Appointment {
  /** Opaque identifier. */
  id: string;
  /** Calendar day in the business's time zone. */
  date: string;
  /** Time of day, 24-hour, in the business's time zone. */
  slotTime: string;
  durationMinutes: number;
  status: AppointmentStatus;
  serviceId: string | null;
  customer: Customer;
}

/** What a new queue token is made of. */
export interface CreateEntryRequest {
  /** The customer's name, 1 to 120 characters. */
  name: string;
  /** Phone number with the country code, at least 8 digits. Spaces, dashes, brackets and a leading + are allowed; stored as digits. */
  phone: string;
  /** What the customer comes for: an active service of the business. */
  serviceId?: string | undefined;
}

/** The person an entry or an appointment is for. */
export interface Customer {
  name: string | null;
  phone: string | null;
}

/** A queue token. */
export interface Entry {
  /** Opaque identifier. */
  id: string;
  /** The label the customer sees. */
  token: string;
  tokenSeries: string;
  tokenNumber: number;
  status: EntryStatus;
  priority: boolean;
  serviceId: string | null;
  customer: Customer;
  /** ISO 8601 in UTC. */
  issuedAt: string;
  startedAt: string | null;
  completedAt: string | null;
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
  tokenSeries: string;
  tokenNumber: number;
  status: EntryStatus;
  priority: boolean;
  serviceId: string | null;
  customer: Customer;
  /** ISO 8601 in UTC. */
  issuedAt: string;
  startedAt: string | null;
  completedAt: string | null;
  canceledAt: string | null;
  /** Estimated minutes until served; null when unknown. */
  predictedWaitMinutes: number | null;
  /** 1 means next; null unless status is `WAITING`. */
  position: number | null;
}

/** One wrong field of a request and why. Never repeats what was submitted. */
export interface ErrorDetail {
  field: string;
  message: string;
}

/** The key that asks, its business and its limits. */
export interface Me {
  business: {
    name: string;
    slug: string;
    category: string | null;
    /** IANA time zone name. */
    timezone: string | null;
  };
  key: {
    /** Opaque identifier. */
    id: string;
    name: string;
    scopes: Scope[];
    expiresAt: string | null;
  };
  limits: {
    requestsPerMinute: number;
    writesPerMinute: number;
    maxBodyBytes: number;
  };
}

/** A line of people. */
export interface Queue {
  /** Opaque identifier. */
  id: string;
  name: string;
  isActive: boolean;
  isTokenCreationPaused: boolean;
}

/** A queue with the counts of one day. */
export interface QueueSummary {
  /** Opaque identifier. */
  id: string;
  name: string;
  isActive: boolean;
  isTokenCreationPaused: boolean;
  /** The day counted. */
  date: string;
  counts: {
    waiting: number;
    inService: number;
    completed: number;
    canceled: number;
    noShow: number;
  };
  /** Average estimated wait of the people waiting now; null when nobody waits or it is unknown. */
  averageWaitMinutes: number | null;
}

/** Something the business does for people. */
export interface Service {
  /** Opaque identifier. */
  id: string;
  name: string;
  /** Whole currency units (rupees). */
  price: number | null;
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
      /** Day to count; today in the business's time zone by default. */
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
      /** Day to list; today in the business's time zone by default. */
      date?: string | undefined;
      /** Items per page. */
      limit?: number | undefined;
      /** The `nextCursor` of the previous page. */
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
      /** Day to list; today in the business's time zone by default. */
      date?: string | undefined;
      /** Items per page. */
      limit?: number | undefined;
      /** The `nextCursor` of the previous page. */
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
