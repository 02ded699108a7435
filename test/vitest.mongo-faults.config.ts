import { mergeConfig } from "vitest/config";
import quick from "./vitest.config.js";

/** Kills, freezes and slows a MongoDB server of its own, which takes minutes: `npm run test:mongo-faults`. */
const slow = mergeConfig(quick, { test: { testTimeout: 120_000 } });

slow.test.include = ["mongo/*.slow.ts"];

export default slow;
