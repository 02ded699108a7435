/**
 * What earlier versions kept for a replay: an HTTP answer, and for a walk-in, which has no URL, the label of its
 * token. None is left a day after the last of their instances has ended.
 */
export interface EarlierAnswer {
  readonly body: string;
  readonly location: string;
}

interface WithReceipt {
  readonly receipt?: string | null;
  readonly answer?: EarlierAnswer | null;
}

/** The receipt that a document holds, or null. */
export function readReceiptOf({ receipt, answer }: WithReceipt): string | null {
  if (receipt) return receipt;
  if (!answer) return null;
  return answer.location === "" ? JSON.stringify({ data: { token: answer.body } }) : answer.body;
}
