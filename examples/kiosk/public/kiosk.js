const form = document.querySelector("#order");
const button = form.querySelector("button");
const notice = document.querySelector("#notice");
const ticket = document.querySelector("#ticket");
const lookEvery = 5_000;
const attempts = 4;

/** One person's order is one token. Its number outlives a reload, until it is known what came of it. */
function orderNumber(person) {
  const kept = JSON.parse(sessionStorage.getItem("order") ?? "null");
  if (kept?.person === person) return kept.number;
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
  const number = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  sessionStorage.setItem("order", JSON.stringify({ person, number }));
  return number;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { name, phone } = Object.fromEntries(new FormData(form));
  button.disabled = true;
  notice.textContent = "One moment…";
  try {
    const answer = await ask("/tokens", {
      order: orderNumber(`${name} ${phone}`),
      name,
      phone,
    });
    if (answer.status < 500) sessionStorage.removeItem("order"); // it is known what came of it
    const body = await answer.json();
    if (answer.ok) follow(body);
    notice.textContent = answer.ok ? "" : body.message;
  } catch {
    notice.textContent = "No connection. Please press again; you will get one token.";
  } finally {
    button.disabled = false;
  }
});

/** Sends an order until there is an answer. It is the same order each time, so it makes one token. */
async function ask(path, order) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetch(path, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(order),
      });
    } catch (error) {
      if (attempt === attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 500 * 2 ** attempt));
    }
  }
}

let looking;

function follow(entry) {
  form.hidden = true;
  ticket.hidden = false;
  show(entry);
  clearInterval(looking);
  looking = setInterval(async () => {
    const answer = await fetch(`/tokens/${entry.id}`).catch(() => null);
    if (answer?.ok) show(await answer.json());
  }, lookEvery);
}

const places = {
  IN_SERVICE: "It is your turn. Please come in.",
  COMPLETED: "Thank you for your visit.",
  CANCELED: "This token was canceled.",
  NO_SHOW: "You were called. Please ask at the desk.",
};

function show({ token, status, position, predictedWaitMinutes }) {
  document.querySelector("#token").textContent = token;
  const wait = predictedWaitMinutes === null ? "" : `, about ${predictedWaitMinutes} minutes`;
  document.querySelector("#place").textContent =
    status === "WAITING" ? `You are number ${position} in line${wait}.` : (places[status] ?? "");
}

document.querySelector("#next").addEventListener("click", () => {
  clearInterval(looking);
  form.reset();
  form.hidden = false;
  ticket.hidden = true;
});
