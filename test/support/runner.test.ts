import { test } from "vitest";

test.fails("a test fails that returns a function, which nothing calls", () => () => {});
