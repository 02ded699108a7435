/** The result codes of SQLite that have a meaning here, without the details in their upper bits. */
const codes = { busy: 5, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** Whether SQLite reports this with an error. */
export function isResult(error: unknown, name: keyof typeof codes): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === codes[name];
}

/** Whether an error means that another process holds the database lock. */
export const isBusy = (error: unknown) => isResult(error, "busy");

/** Whether an error means that the disk is full. Writes succeed again once it has space. */
export const isFull = (error: unknown) => isResult(error, "full");
