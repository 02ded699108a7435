/** Text that is already HTML. */
export class Html {
  constructor(readonly text: string) {}
}

type Value = string | number | Html | readonly Html[] | null | undefined | false;

/** A template tag for HTML. Values that are not {@link Html} are escaped; null, undefined and false become empty. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(
    parts.map((part, at) => (at === 0 ? part : written(values[at - 1]) + part)).join(""),
  );
}

function written(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(written).join("");
  if (value === null || value === undefined || value === false) return "";
  return escapeHtml(String(value));
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => entities[sign] ?? sign);
}
