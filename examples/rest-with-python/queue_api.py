"""A small client of the Queue API, with the standard library alone."""

import concurrent.futures
import email.utils
import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

ATTEMPTS = 4
TIMEOUT_SECONDS = 10
TOTAL_SECONDS = 60

# No response, a truncated one, or one that is not JSON, which comes from a proxy.
NOT_WHOLE = (OSError, http.client.HTTPException, json.JSONDecodeError, UnicodeDecodeError)


class ApiError(Exception):
    """The service refused. Decide by `code`; log `request_id`."""

    def __init__(self, status, code, message, request_id=None, details=()):
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.request_id = request_id
        self.details = list(details)


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect is a refusal: it would take the key to another address, and make a POST a GET."""

    def redirect_request(self, *_):
        return None


class QueueApi:
    _opener = urllib.request.build_opener(NoRedirects)

    def __init__(self, base_url, key, sleep=time.sleep, clock=time.monotonic):
        self._base_url = base_url.rstrip("/")
        self._key = key
        self._sleep = sleep
        self._clock = clock

    def me(self):
        return self._call("GET", "/v1/me")["data"]

    def queues(self):
        return self._call("GET", "/v1/queues")["data"]

    def entries(self, queue_id, **query):
        """All entries of a day, page by page, as they are read."""
        cursor = None
        while True:
            page = self._call("GET", f"/v1/queues/{queue_id}/entries", {**query, "cursor": cursor})
            yield from page["data"]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def create(self, queue_id, name, phone, idempotency_key=None):
        """Creates a token, one however often it must be asked for."""
        key = idempotency_key or str(uuid.uuid4())
        body = {"name": name, "phone": phone}
        path = f"/v1/queues/{queue_id}/entries"
        return self._call("POST", path, body=body, headers={"Idempotency-Key": key})["data"]

    def entry(self, entry_id):
        return self._call("GET", f"/v1/entries/{entry_id}")["data"]

    def cancel(self, entry_id):
        """Cancels. A lost answer is settled by reading the entry, for a cancel carries no key."""
        try:
            return self._call("POST", f"/v1/entries/{entry_id}/cancel")["data"]
        except ApiError as error:
            if error.code != "invalid_state":
                raise
            entry = self.entry(entry_id)
            if entry["status"] != "CANCELED":
                raise
            return entry

    def _call(self, method, path, query=None, body=None, headers=None):
        given = {name: value for name, value in (query or {}).items() if value is not None}
        url = self._base_url + path + (f"?{urllib.parse.urlencode(given)}" if given else "")
        deadline = self._clock() + TOTAL_SECONDS
        timeout = TIMEOUT_SECONDS
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._send(method, url, body, headers or {}, timeout)
            except _Passing as passing:
                wait = max(passing.retry_after, random.uniform(0, min(8, 0.3 * 2 ** (attempt - 1))))
                left = deadline - self._clock() - wait
                if attempt == ATTEMPTS or left <= 0:
                    raise passing.error from None
                timeout = min(TIMEOUT_SECONDS, left)
                self._sleep(wait)

    def _send(self, method, url, body, headers, timeout):
        """One attempt, in a thread: the timeout of urllib limits each read, not the whole attempt."""
        deadline = time.monotonic() + timeout
        data = None if body is None else json.dumps(body).encode()
        content = {} if data is None else {"Content-Type": "application/json"}
        sent = {"Authorization": f"Bearer {self._key}", **content, **headers}
        request = urllib.request.Request(url, data, sent, method=method)
        outcome = concurrent.futures.Future()

        def attempt():
            try:
                outcome.set_result(self._exchange(request, timeout, deadline))
            except Exception as error:
                outcome.set_exception(error)

        threading.Thread(target=attempt, daemon=True).start()
        try:
            return outcome.result(timeout)
        except concurrent.futures.TimeoutError:
            raise _Passing(TimeoutError("no whole response in time")) from None

    def _exchange(self, request, timeout, deadline):
        try:
            with self._opener.open(request, timeout=timeout) as answer:
                document = _document(answer, deadline)
        except urllib.error.HTTPError as answer:
            with answer:
                raise _refusal(answer, deadline) from None
        except NOT_WHOLE as error:
            raise _Passing(error) from None
        if not isinstance(document, dict) or "data" not in document:
            raise _Passing(ApiError(200, "unknown", "not an answer of the service"))
        return document


class _Passing(Exception):
    """A failure that may pass by itself."""

    def __init__(self, error, retry_after=0):
        super().__init__(str(error))
        self.error = error
        self.retry_after = retry_after


def _document(answer, deadline):
    """The JSON of a body. Stops at the deadline, so that an abandoned attempt ends its thread and connection."""
    parts = []
    while part := answer.read1(65536):
        if time.monotonic() > deadline:
            raise _Passing(TimeoutError("no whole response in time"))
        parts.append(part)
    return json.loads(b"".join(parts))


def _refusal(answer, deadline):
    if answer.code < 400:
        return ApiError(answer.code, "unknown", "a redirect, which is not followed")
    wait = _seconds(answer.headers.get("Retry-After", "0"))
    try:
        error = _document(answer, deadline)["error"]
        details = error.get("details", ())
        failure = ApiError(answer.code, error["code"], error["message"], error.get("requestId"), details)
    except (*NOT_WHOLE, KeyError, TypeError, AttributeError):
        return _Passing(ApiError(answer.code, "unknown", "not an answer of the service"), wait)
    if answer.code in (408, 500, 502, 503, 504) or failure.code in ("rate_limited", "request_in_progress"):
        return _Passing(failure, wait)
    return failure


def _seconds(retry_after):
    """The service sends a number of seconds; a proxy may send a date."""
    try:
        if retry_after.isdecimal():
            return int(retry_after)
        return email.utils.mktime_tz(email.utils.parsedate_tz(retry_after)) - time.time()
    except (ValueError, OverflowError, TypeError):
        return 0
