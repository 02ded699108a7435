import { hash } from "node:crypto";
import type { Random } from "./ports.js";

/** The letters and digits, in the order of their values. */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random letters and digits, each equally likely. */
export function randomText(random: Random, length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of random(length - text.length + 8)) {
      // 248 = 4 × 62: each character is equally likely
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

/** Letters and digits that follow from a text, at most 24: the same for the same text. */
export function hashText(text: string, length: number): string {
  const digest = hash("sha512", text, "buffer");
  return randomText((bytes) => digest.subarray(0, bytes), length);
}

/** A whole number in so many digits. Its texts have the order of the numbers. */
export function writeNumber(number: number, digits: number): string {
  let text = "";
  for (let rest = number; text.length < digits; rest = Math.floor(rest / alphabet.length)) {
    text = alphabet[rest % alphabet.length] + text;
  }
  return text;
}

/** The number of a text; NaN if it has another character. */
export function readNumber(text: string): number {
  return [...text].reduce((number, digit) => {
    const value = alphabet.indexOf(digit);
    return value < 0 ? Number.NaN : number * alphabet.length + value;
  }, 0);
}
