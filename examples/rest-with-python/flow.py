"""The whole flow of the API: find a queue, take a token, follow it, cancel it."""

import os
import sys
import uuid

from queue_api import ApiError, QueueApi


def main():
    key = os.environ.get("QUEUE_API_KEY")
    if not key:
        sys.exit("Set QUEUE_API_KEY to an API key: `npm start` in the repository prints one.")
    api = QueueApi(os.environ.get("QUEUE_API_BASE_URL", "http://127.0.0.1:3000"), key)

    me = api.me()
    print(f"{me['business']['name']}, with the key {me['key']['name']}")

    queues = [q for q in api.queues() if q["isActive"] and not q["isTokenCreationPaused"]]
    if not queues:
        sys.exit("no queue takes tokens at the moment")
    queue = queues[0]

    order = str(uuid.uuid4())
    entry = api.create(queue["id"], "Customer 1", "+91 98000 00001", order)
    print(f"{entry['token']}, number {entry['position']} in line of {queue['name']}")

    again = api.create(queue["id"], "Customer 1", "+91 98000 00001", order)
    assert again["id"] == entry["id"], "the same order made a second token"
    print("asked again: the same token")

    try:
        api.create(queue["id"], "", "12")
    except ApiError as error:
        fields = ", ".join(sorted(detail["field"] for detail in error.details))
        print(f"{error.code}: {fields}")

    waiting = [one["token"] for one in api.entries(queue["id"], status="WAITING", limit=3)]
    print(f"waiting: {' '.join(waiting)}")

    print(f"{entry['token']} is {api.cancel(entry['id'])['status']}")


if __name__ == "__main__":
    main()
