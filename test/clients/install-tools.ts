import { installTools } from "#tools";

/** Installs once what several test files use. */
export default function setup(): void {
  installTools("openapi");
}
