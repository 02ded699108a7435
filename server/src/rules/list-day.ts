/**
 * The day of which a page is, when the page before ended with an item of `cursorDay`; null when that item
 * leads nowhere. A list that was asked for without a date goes on in the day in which it began, also after
 * midnight; `asked` is then today. An item of a later day can only have been moved there since.
 */
export function listDay(asked: string, cursorDay: string, orEarlier: boolean): string | null {
  if (cursorDay === asked) return asked;
  return orEarlier && cursorDay < asked ? cursorDay : null;
}
