#!/usr/bin/env bash
# The whole flow of the API with curl and jq.
set -euo pipefail

base=${QUEUE_API_BASE_URL:-http://127.0.0.1:3000}
key=${QUEUE_API_KEY:-}
if [ -z "$key" ]; then
  echo "Set QUEUE_API_KEY to an API key: \`npm start\` in the repository prints one." >&2
  exit 1
fi

# The last response: its body and its headers.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
body=$work/body
headers=$work/headers

# Calls the API and prints the response, or fails with the refusal in $body. Repeats what may pass by itself, for up to
# four attempts or a minute. curl's --retry does not repeat a lost connection or a 409, and prints the body of each
# attempt. The key is passed by a file descriptor: the list of processes shows arguments.
api() {
  local method=$1 path=$2 deadline=$((SECONDS + 60)) attempt left status code wait
  shift 2
  for attempt in 1 2 3 4; do
    left=$((deadline - SECONDS))
    [ "$left" -gt 0 ] || break
    : >"$body" >"$headers"
    status=$(curl --silent --show-error --max-time $((left < 10 ? left : 10)) \
      --config <(printf 'header = "Authorization: Bearer %s"\n' "$key") \
      --output "$body" --dump-header "$headers" --write-out '%{http_code}' \
      --request "$method" "$@" "$base$path") || : >"$body"
    # What is not whole, or not JSON of the service, counts as a lost connection.
    code=$(jq -r '.error.code // if has("data") then "data" else "" end' "$body" 2>/dev/null) || code=
    case $status/$code in
      2??/data) cat "$body" && return ;;
      3??/*) break ;; # a redirect: another address must not get the key
      */ | 408/* | 50[0234]/* | */rate_limited | */request_in_progress) ;;
      *) break ;;
    esac
    wait=$(wait_seconds "$attempt" "$((deadline - SECONDS))") || break
    sleep "$wait"
  done
  echo "$method $path: HTTP $status ${code:-no response of the service} $(jq -r .error.requestId "$body" 2>/dev/null)" >&2
  return 1
}

# How long to wait after an attempt: a random time that doubles, but at least Retry-After, which is a number of seconds
# or a date. Fails if no attempt or not enough time is left.
wait_seconds() {
  jq -Rne --argjson random "$RANDOM" --argjson attempt "$1" --argjson left "$2" '
    [inputs | capture("^retry-after: *(?<value>.*[^\\s])"; "i").value
      | tonumber? // (strptime("%a, %d %b %Y %H:%M:%S GMT")? | mktime - now)]
    + [$random / 32768 * 0.3 * pow(2; $attempt - 1)]
    | max | select($attempt < 4 and . < $left)' "$headers"
}

# A creation with an idempotency key of its own.
create() {
  api POST "/v1/queues/$queue/entries" \
    --header "Content-Type: application/json" --header "Idempotency-Key: $1" --data "$2"
}

echo "== Who am I"
api GET /v1/me | jq -r '.data | "\(.business.name), with the key \(.key.name): \(.key.scopes | join(" "))"'

echo "== A queue that takes tokens"
queue=$(api GET /v1/queues | jq -er '[.data[] | select(.isActive and (.isTokenCreationPaused | not))][0].id')
api GET "/v1/queues/$queue" | jq -r '.data | "\(.name): \(.counts.waiting) waiting"'

echo "== A token"
order="curl-$(date +%s)-$$"
customer='{"name":"Customer 1","phone":"+91 98000 00001"}'
first=$(create "$order" "$customer")
entry=$(jq -er .data.id <<<"$first")
jq -r '.data | "\(.token), number \(.position) in line"' <<<"$first"

echo "== The same request again: the same token, marked as a replay"
again=$(create "$order" "$customer")
grep -i '^idempotent-replay: true' "$headers"
[ "$(jq -r .data.id <<<"$again")" = "$entry" ]

echo "== The same key for somebody else: refused"
other='{"name":"Customer 2","phone":"+91 98000 00002"}'
if create "$order" "$other" 2>/dev/null; then exit 1; fi
jq -r '.error | "\(.code), see \(.docUrl)"' "$body" | grep '^idempotency_key_reuse'

echo "== Everybody in line, page by page"
cursor=
while :; do
  page=$(api GET "/v1/queues/$queue/entries?status=WAITING&limit=3${cursor:+&cursor=$cursor}")
  jq -r '.data | map(.token) | join(" ")' <<<"$page"
  cursor=$(jq -r '.nextCursor // empty' <<<"$page")
  [ -n "$cursor" ] || break
done

# A cancellation has no key: if its response was lost, the next attempt is refused, and the entry shows what happened.
echo "== Canceled"
canceled=$(api POST "/v1/entries/$entry/cancel") || canceled=$(api GET "/v1/entries/$entry")
jq -er '.data | select(.status == "CANCELED") | "\(.token) is \(.status)"' <<<"$canceled"
