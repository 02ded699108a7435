"""The whole flow with the client that openapi-python-client generates. Prints the results as JSON."""

import json
import os

from client import AuthenticatedClient
from client.api.entries import cancel_entry, create_entry, list_entries
from client.api.me import get_me
from client.models import CreateEntryRequest, ErrorResponse

queue_id = os.environ["QUEUE_ID"]


def client(key, base_url=os.environ["BASE_URL"]):
    return AuthenticatedClient(base_url=base_url, token=os.environ[key])


def outcome(answer):
    """The status, the code, and the fields or scopes that the error names."""
    status = int(answer.status_code)
    if not isinstance(answer.parsed, ErrorResponse):
        return f"{status} without an error"
    error = answer.parsed.error
    more = [detail.field for detail in error.details or []] + (error.required or [])
    return " ".join([str(status), error.code, *more])


main = client("MAIN_KEY")
body = CreateEntryRequest(name="Customer 4", phone="+91 98000 00004")


def create(body=body, client=main, key="python-journey-1"):
    return create_entry.sync_detailed(queue_id, client=client, body=body, idempotency_key=key)


created, replayed = create(), create()
entry_id = created.parsed.data.id

pages, cursor = [], None
while not pages or cursor:
    more = {"cursor": cursor} if cursor else {}
    page = list_entries.sync(queue_id, client=main, limit=3, **more)
    pages.append([entry.token for entry in page.data])
    cursor = page.next_cursor

canceled = cancel_entry.sync_detailed(entry_id, client=main)
failing = {name: client("MAIN_KEY", f"{os.environ['FAILING_URL']}/{name}") for name in ("region_blocked", "gateway")}

print(json.dumps({
    "me": get_me.sync(client=main).data.business.name,
    "created": [int(created.status_code), created.parsed.data.token, created.parsed.data.position],
    "located": created.headers["Location"].endswith(entry_id),
    "replayed": [replayed.headers["Idempotent-Replay"], replayed.parsed.data.id == entry_id],
    "pages": pages,
    "canceled": canceled.parsed.data.status.value,
    "refused": [outcome(answer) for answer in (
        create(CreateEntryRequest(name="", phone="123"), key="python-journey-2"),
        create(client=client("READ_KEY")),
        cancel_entry.sync_detailed(entry_id, client=main),
        get_me.sync_detailed(client=failing["region_blocked"]),
        get_me.sync_detailed(client=failing["gateway"]),
    )],
}))
