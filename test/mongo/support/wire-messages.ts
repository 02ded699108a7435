/** Puts the bytes of a stream together to whole messages of the wire protocol. */
export function messages(pass: (message: Buffer) => void): (chunk: Buffer) => void {
  let pending = Buffer.alloc(0);
  return (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
      const size = pending.readInt32LE(0);
      pass(pending.subarray(0, size));
      pending = pending.subarray(size);
    }
  };
}

/** What an OP_MSG asks for: the first field of its body, which names the command and its collection. */
export function commandOf(message: Buffer): string {
  const body = 16 + 4 + 1; // header, flags, kind of section
  const type = body + 4; // size of the document
  const name = message.toString("latin1", type + 1, message.indexOf(0, type + 1));
  const value = type + 1 + name.length + 1;
  if (message[type] !== 2) return name; // not a text
  return `${name} ${message.toString("latin1", value + 4, message.indexOf(0, value + 4))}`;
}
