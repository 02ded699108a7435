/* Offers to print the ticket. Without this script, the browser's own menu does. */
const button = document.getElementById("print");
button.hidden = false;
button.addEventListener("click", () => print());
button.focus();
