/** A button that copies a text to the clipboard. `textOf` returns the text, or null if there is none yet. */
export function copyButton(label, className, textOf) {
  const button = Object.assign(document.createElement("button"), { type: "button", className });
  button.textContent = label;
  button.addEventListener("click", async () => {
    const text = textOf();
    if (text === null) return;
    button.textContent = (await copy(text)) ? "Copied" : "Select it and copy";
    setTimeout(() => {
      button.textContent = label;
    }, 2_000);
  });
  return button;
}

/** Returns whether it succeeded, because browsers allow it on secure pages only. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
