/** The label that a customer sees: the series of the queue and the number of the day. */
export function tokenLabel(series: string, number: number): string {
  return `${series}${number}`;
}
