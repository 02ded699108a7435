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

/** The command and collection of an OP_MSG, from the first field of its body. */
export function commandOf(message: Buffer): string {
  const body = 16 + 4 + 1; // header, flags, kind of section
  const type = body + 4; // size of the document
  const name = message.toString("latin1", type + 1, message.indexOf(0, type + 1));
  const value = type + 1 + name.length + 1;
  if (message[type] !== 2) return name; // not a string
  return `${name} ${message.toString("latin1", value + 4, message.indexOf(0, value + 4))}`;
}

/** A command with the fields that a proxy needs. */
export interface WireCommand {
  readonly id: number;
  /** In lower case, such as `findandmodify`. */
  readonly name: string;
  readonly body: mongo.Document;
  /** Whether the client accepts several responses to it. */
  readonly takesSeveral: boolean;
  /** Whether it was sent as OP_QUERY, like the first `hello` of a connection. */
  readonly isQuery: boolean;
}

const opReply = 1;
const opQuery = 2004;
const opMsg = 2013;
const moreToCome = 1 << 1;
const exhaustAllowed = 1 << 16;

/** Keeps the BSON types of values, so that a document can be written back unchanged. */
const exactly = { promoteValues: false, promoteBuffers: false, bsonRegExp: true };

/** Reads a request; document sequences stay out of its body. */
export function readCommand(message: Buffer): WireCommand {
  const isQuery = message.readInt32LE(12) === opQuery;
  const start = isQuery ? message.indexOf(0, 20) + 1 + 8 : 16 + 4 + 1;
  const bytes = message.subarray(start, start + message.readInt32LE(start));
  const body = mongo.BSON.deserialize(bytes, exactly);
  return {
    id: message.readInt32LE(4),
    name: (Object.keys(body)[0] ?? "").toLowerCase(),
    body,
    takesSeveral: !isQuery && (message.readUInt32LE(16) & exhaustAllowed) !== 0,
    isQuery,
  };
}

/** The same request without these fields of its body. All other bytes are unchanged. */
export function without(fields: readonly string[], { isQuery }: WireCommand, request: Buffer) {
  if (isQuery) return request;
  const start = 16 + 4 + 1;
  const end = start + request.readInt32LE(start);
  const body = request.subarray(start, end);
  const kept = [...mongo.BSON.onDemand.parseToElements(body)].flatMap((element) => {
    const [, nameAt, nameLength, valueAt, valueLength] = element;
    const name = body.toString("latin1", nameAt, nameAt + nameLength);
    return fields.includes(name) ? [] : [body.subarray(nameAt - 1, valueAt + valueLength)];
  });
  const size = Buffer.alloc(4);
  size.writeInt32LE(4 + kept.reduce((sum, { length }) => sum + length, 0) + 1);
  const parts = [request.subarray(16, start), size, ...kept, Buffer.from([0])];
  const id = request.readInt32LE(4);
  return message(opMsg, id, 0, [...parts, request.subarray(end)]);
}

/** Writes a request with this body. */
export function request(id: number, body: mongo.Document): Buffer {
  return message(opMsg, id, 0, [Buffer.from([0, 0, 0, 0, 0]), mongo.BSON.serialize(body)]);
}

/** Writes a response to a command. More responses can follow. */
export function response(
  { id, isQuery }: Pick<WireCommand, "id" | "isQuery">,
  body: mongo.Document,
  { ownId = 0, isLast = true } = {},
): Buffer {
  const bytes = mongo.BSON.serialize(body);
  const head = Buffer.alloc(isQuery ? 20 : 5);
  if (isQuery)
    head.writeInt32LE(1, 16); // the number of documents
  else head.writeUInt32LE(isLast ? 0 : moreToCome);
  return message(isQuery ? opReply : opMsg, ownId, id, [head, bytes]);
}

/** Copies a response for another request. */
export function responseTo(id: number, message: Buffer): Buffer {
  const copy = Buffer.from(message);
  copy.writeInt32LE(id, 8);
  return copy;
}

function message(opCode: number, id: number, to: number, parts: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + parts.reduce((size, part) => size + part.length, 0), 0);
  head.writeInt32LE(id, 4);
  head.writeInt32LE(to, 8);
  head.writeInt32LE(opCode, 12);
  return Buffer.concat([head, ...parts]);
}
