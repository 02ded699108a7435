import { openApiDocument } from "@queue-api/contract";
import { expect, test } from "vitest";
import { addresses } from "./document.js";

test("the document is the same each time, and plain JSON", () => {
  const first = openApiDocument(addresses);
  const text = JSON.stringify(first);
  expect(JSON.stringify(openApiDocument(addresses))).toBe(text);
  expect(JSON.parse(text)).toStrictEqual(first);
});

test("only the addresses differ between two services", () => {
  const other = { baseUrl: "https://other.example", docsUrl: "https://other.example/docs" };
  const renamed = JSON.stringify(openApiDocument(other)).replaceAll(
    "other.example",
    "queue.example",
  );
  expect(renamed).toBe(JSON.stringify(openApiDocument(addresses)));
});
