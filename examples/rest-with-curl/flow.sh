#!/usr/bin/env bash
# The whole flow of the API with curl and jq.
set -euo pipefail

base=${QUEUE_API_BASE_URL:-http://127.0.0.1:3000}
key=${QUEUE_API_KEY:-}
if [ -z "$key" ]; then
  echo "Set QUEUE_API_KEY to an API key: \`npm start\` in the repository prints one." >&2
  exit 1
fi

# Calls the API and prints the answer's body. The key goes in by a file descriptor, so that nobody reads it
# off the list of processes. --retry repeats what may pass by itself (408, 429, 5xx), and waits as long as
# Retry-After says; it is safe for a creation because the idempotency key stays the same.
api() {
  local method=$1 path=$2
  shift 2
  curl --silent --show-error --fail-with-body --max-time 10 \
    --retry 3 --retry-connrefused --retry-max-time 60 \
    --config <(printf 'header = "Authorization: Bearer %s"\n' "$key") \
    --request "$method" "$@" "$base$path"
}

# A creation with an idempotency key of its own. Prints the answer's headers as well.
create() {
  api POST "/v1/queues/$queue/entries" --include \
    --header "Content-Type: application/json" --header "Idempotency-Key: $1" --data "$2"
}

body() { sed '1,/^\r*$/d'; }

echo "== Who am I"
api GET /v1/me | jq -r '.data | "\(.business.name), with the key \(.key.name): \(.key.scopes | join(" "))"'

echo "== A queue that takes tokens"
queue=$(api GET /v1/queues | jq -er '[.data[] | select(.isActive and (.isTokenCreationPaused | not))][0].id')
api GET "/v1/queues/$queue" | jq -r '.data | "\(.name): \(.counts.waiting) waiting"'

echo "== A token"
order="curl-$(date +%s)-$$"
customer='{"name":"Customer 1","phone":"+91 98000 00001"}'
first=$(create "$order" "$customer" | body)
entry=$(jq -er .data.id <<<"$first")
jq -r '.data | "\(.token), number \(.position) in line"' <<<"$first"

echo "== The same request again: the same token, marked as a replay"
again=$(create "$order" "$customer")
grep -i '^idempotent-replay: true' <<<"$again"
[ "$(body <<<"$again" | jq -r .data.id)" = "$entry" ]

echo "== The same key for somebody else: refused"
other='{"name":"Customer 2","phone":"+91 98000 00002"}'
if refusal=$(create "$order" "$other" 2>/dev/null); then exit 1; fi
body <<<"$refusal" | jq -r '.error | "\(.code), see \(.docUrl)"'

echo "== Everybody in line, page by page"
cursor=
while :; do
  page=$(api GET "/v1/queues/$queue/entries?status=WAITING&limit=3${cursor:+&cursor=$cursor}")
  jq -r '.data | map(.token) | join(" ")' <<<"$page"
  cursor=$(jq -r '.nextCursor // empty' <<<"$page")
  [ -n "$cursor" ] || break
done

echo "== Canceled"
api POST "/v1/entries/$entry/cancel" | jq -r '.data | "\(.token) is \(.status)"'
