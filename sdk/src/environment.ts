interface RuntimeGlobals {
  readonly process?: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly versions?: { readonly node?: string };
  };
  readonly window?: { readonly document?: unknown };
}

/** Whether the code runs in a browser, and not in Node with a document, as in tests of a page. */
export function isBrowser(): boolean {
  const { window, process } = globalThis as RuntimeGlobals;
  return window?.document !== undefined && process?.versions?.node === undefined;
}

/** Deno denies access without a permission. The variable then counts as not set. */
export function environmentVariable(name: string): string | undefined {
  try {
    return (globalThis as RuntimeGlobals).process?.env?.[name]?.trim();
  } catch {
    return undefined;
  }
}
