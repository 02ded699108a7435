/** The label a customer sees: the queue's letters and the number of the day. */
export function tokenLabel(series: string, number: number): string {
  return `${series}${number}`;
}
