/**
 * What earlier versions stored for a replay: an HTTP response, and for a walk-in, which has no URL, the label
 * of its token. A day after the last of their instances has ended, none is left.
 */
export interface EarlierAnswer {
  readonly body: string;
  readonly location: string;
}

interface WithReceipt {
  readonly receipt?: string | null;
  readonly answer?: EarlierAnswer | null;
}

/** The receipt in a document, or null. */
export function readReceiptOf({ receipt, answer }: WithReceipt): string | null {
  if (receipt) return receipt;
  if (!answer) return null;
  return answer.location === "" ? JSON.stringify({ data: { token: answer.body } }) : answer.body;
}
