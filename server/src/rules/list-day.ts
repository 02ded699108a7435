/**
 * The day that a page continues, if the previous page ended with an item of `cursorDay`; null if the cursor
 * is invalid. A list without a date continues the day on which it began, even after midnight; `asked` is then
 * today. An item of a later day is invalid, because it was moved after the previous page.
 */
export function listDay(asked: string, cursorDay: string, orEarlier: boolean): string | null {
  if (cursorDay === asked) return asked;
  return orEarlier && cursorDay < asked ? cursorDay : null;
}
