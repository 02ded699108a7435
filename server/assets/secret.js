// Offers to copy a key that is shown once, and removes it when the user leaves the page.

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
      getSelection().selectAllChildren(text); // without https there is no clipboard: selects the text, so that one keystroke copies it
      said.textContent = "Selected. Press Ctrl+C or ⌘C to copy.";
    }
  });
}

addEventListener("pagehide", () => {
  for (const text of document.querySelectorAll("[data-secret]")) {
    text.textContent = "Shown once, and removed.";
  }
});
