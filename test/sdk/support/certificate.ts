import { generateKeyPairSync, sign } from "node:crypto";

/** A certificate with its key, both as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Creates a self-signed certificate for 127.0.0.1 that is valid until 2049. */
export function selfSigned(): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = sequence(objectId("2a8648ce3d040302")); // ECDSA with SHA-256
  const name = sequence(der(0x31, sequence(objectId("550403"), der(0x0c, Buffer.from("test")))));
  const validity = sequence(
    der(0x17, Buffer.from("200101000000Z")),
    der(0x17, Buffer.from("491231235959Z")),
  );
  const names = extension("551d11", sequence(der(0x87, Buffer.from([127, 0, 0, 1]))));
  const authority = extension("551d13", sequence(der(0x01, Buffer.from([0xff]))));
  const body = sequence(
    der(0xa0, integer(2)), // version 3
    integer(1),
    ...[algorithm, name, validity, name],
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(names, authority)),
  );
  const signature = der(0x03, Buffer.from([0]), sign("sha256", body, privateKey));
  return {
    cert: pem(sequence(body, algorithm, signature)),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** A value in DER: its tag, its length, its content. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const written = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...written]), body]);
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

function objectId(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), der(0x04, value));
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString("base64").replace(/.{64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
