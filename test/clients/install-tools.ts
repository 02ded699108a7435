import { installTools } from "#tools";

/** Installs the shared tools of several test files once. */
export default function setup(): void {
  installTools("openapi");
}
