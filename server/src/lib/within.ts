/** The value of a promise, or `late` if it takes longer than `ms` milliseconds. */
export function within<Value, Late>(ms: number, promise: Promise<Value>, late: Late) {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), ms);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}
