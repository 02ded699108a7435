// Deprecated: import from `@queue-api/testkit/msw`.
export * from "@queue-api/testkit/msw";
