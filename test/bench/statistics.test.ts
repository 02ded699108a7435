import { expect, test } from "vitest";
import { median, spread } from "./statistics.js";

test("the median is the middle value, in any order of the values", () => {
  expect(median([3, 100, 1])).toBe(3);
});

test("the median of an even number of values is the mean of the two in the middle", () => {
  expect(median([4, 1, 2, 100])).toBe(3);
});

test("values are sorted as numbers, and the given list does not change", () => {
  const values = [10, 9, 100];
  expect(median(values)).toBe(10);
  expect(values).toEqual([10, 9, 100]);
});

test("the median of an empty list is a RangeError", () => {
  expect(() => median([])).toThrow(RangeError);
});

test("the spread has the median, the least and the greatest value", () => {
  expect(spread([0.9, 0.7, 0.8])).toEqual({ median: 0.8, least: 0.7, most: 0.9 });
});
