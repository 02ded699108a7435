// Deprecated: import from `@queue-api/testkit`.
export * from "@queue-api/testkit";
