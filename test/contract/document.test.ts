import { openApiDocument } from "@queue-api/contract";
import { expect, test } from "vitest";
import { addresses } from "./document.js";

test("the document is always the same, and plain JSON", () => {
  const first = openApiDocument(addresses);
  const text = JSON.stringify(first);
  expect(JSON.stringify(openApiDocument(addresses))).toBe(text);
  expect(JSON.parse(text)).toStrictEqual(first);
});

test("the documents of two services differ only in their addresses", () => {
  const other = { baseUrl: "https://other.example", docsUrl: "https://other.example/docs" };
  const renamed = JSON.stringify(openApiDocument(other)).replaceAll(
    "other.example",
    "queue.example",
  );
  expect(renamed).toBe(JSON.stringify(openApiDocument(addresses)));
});
