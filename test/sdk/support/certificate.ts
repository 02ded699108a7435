import { execFileSync } from "node:child_process";

/** A self-signed certificate for 127.0.0.1 and its key, as PEM. Needs openssl; null without it. */
export function selfSigned(): string | null {
  const subject = ["-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1"];
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const args = ["req", "-x509", ...key, "-keyout", "-", "-out", "-", ...subject];
  try {
    return execFileSync("openssl", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return null;
  }
}
