/*
 * The types of the API in the declarations of the kit, which import no other package. A test compares them with the
 * contract. The package does not export them: users have the types of the SDK or their own.
 */

/** State of an entry. */
export type EntryStatus = "WAITING" | "IN_SERVICE" | "COMPLETED" | "CANCELED" | "NO_SHOW";

/** State of an appointment. */
export type AppointmentStatus =
  | "CONFIRMED"
  | "CHECKED_IN"
  | "IN_SERVICE"
  | "COMPLETED"
  | "NO_SHOW"
  | "CANCELLED";

/** A permission of an API key. */
export type Scope = "queue:read" | "queue:write" | "appointments:read";

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
  | "internal_error";

/** The person an entry or an appointment is for. */
interface Customer {
  name: string | null;
  /** Digits only, with the country code. */
  phone: string | null;
}

/** A queue token. */
export interface Entry {
  id: string;
  /** The label the customer sees, as in `A12`. */
  token: string;
  tokenSeries: string;
  tokenNumber: number;
  status: EntryStatus;
  priority: boolean;
  serviceId: string | null;
  customer: Customer;
  issuedAt: string;
  startedAt: string | null;
  completedAt: string | null;
  canceledAt: string | null;
  predictedWaitMinutes: number | null;
}

export interface EntryWithPosition extends Entry {
  /** 1 means next; null unless the status is `WAITING`. */
  position: number | null;
}

export interface Queue {
  id: string;
  name: string;
  isActive: boolean;
  isTokenCreationPaused: boolean;
}

export interface QueueSummary extends Queue {
  /** `YYYY-MM-DD`, the day counted. */
  date: string;
  counts: {
    waiting: number;
    inService: number;
    completed: number;
    canceled: number;
    noShow: number;
  };
  averageWaitMinutes: number | null;
}

export interface Service {
  id: string;
  name: string;
  /** Whole currency units. */
  price: number | null;
  baseTimeMinutes: number | null;
}

export interface Me {
  business: { name: string; slug: string; category: string | null; timezone: string | null };
  key: { id: string; name: string; scopes: Scope[]; expiresAt: string | null };
  limits: { requestsPerMinute: number; writesPerMinute: number; maxBodyBytes: number };
}

export interface Appointment {
  id: string;
  /** `YYYY-MM-DD` in the business's time zone. */
  date: string;
  /** `HH:MM` in the business's time zone. */
  slotTime: string;
  durationMinutes: number;
  status: AppointmentStatus;
  serviceId: string | null;
  customer: Customer;
}
