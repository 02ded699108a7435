import { mongo } from "mongoose";

/** Assembles the bytes of a stream into whole messages of the wire protocol. */
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

const opMsg = 2013;

/**
 * The command and collection of an OP_MSG, from the first field of its body. A connection begins with a `hello` of
 * another kind.
 */
export function commandOf(message: Buffer): string {
  if (message.readInt32LE(12) !== opMsg) return "hello";
  const body = message.subarray(16 + 4 + 1); // header, flags, kind of section
  const options = { allowObjectSmallerThanBufferSize: true };
  const [[name, value] = ["hello"]] = Object.entries(mongo.BSON.deserialize(body, options));
  return typeof value === "string" ? `${name} ${value}` : name;
}

/** An OP_MSG with this body, in response to the request with this id. */
export function response(requestId: number, body: mongo.Document): Buffer {
  const bytes = mongo.BSON.serialize(body);
  const [head, flags] = [Buffer.alloc(16), Buffer.alloc(5)];
  head.writeInt32LE(head.length + flags.length + bytes.length, 0);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(opMsg, 12);
  return Buffer.concat([head, flags, bytes]);
}
