/** The error of `fetch` when the server resets the connection. */
export function connectionReset(): TypeError {
  const cause = Object.assign(new Error("read ECONNRESET"), {
    code: "ECONNRESET",
    syscall: "read",
  });
  return new TypeError("fetch failed", { cause });
}

/** The error of a body that ends before its declared length. */
export function bodyCutShort(): TypeError {
  const cause = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });
  return new TypeError("terminated", { cause });
}
