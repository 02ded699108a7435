// Offers to copy a key that is shown once, and takes it off the page when the page is left.

for (const button of document.querySelectorAll("button[data-copies]")) {
  const id = button.dataset.copies;
  const text = document.getElementById(id);
  const said = document.querySelector(`[data-copied="${id}"]`);
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      said.textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(text); // no clipboard without https: one keystroke is left to do
      said.textContent = "Selected. Press Ctrl+C or ⌘C to copy.";
    }
  });
}

addEventListener("pagehide", () => {
  for (const text of document.querySelectorAll("[data-secret]")) {
    text.textContent = "Shown once, and gone now.";
  }
});
