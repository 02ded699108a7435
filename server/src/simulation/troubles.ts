/** Tells of a trouble once, however often it is met until it is over. */
export class Troubles {
  readonly #tell: (line: string) => void;
  #told = false;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  begin(line: string): void {
    if (!this.#told) this.#tell(line);
    this.#told = true;
  }

  end(): void {
    this.#told = false;
  }
}
