/** Makes an element with these properties. */
export function element(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}

/** Copies a text to the clipboard, and shows on a button whether it succeeded: browsers allow it on secure pages only. */
export async function copy(text, button) {
  button.dataset.label ??= button.textContent;
  const done = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  button.textContent = done ? "Copied" : "Select it and copy";
  setTimeout(() => {
    button.textContent = button.dataset.label;
  }, 2_000);
}
