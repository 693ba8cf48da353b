#!/bin/sh
# Replaces the ledgers one at a time, with the present settings, secrets and image; one of them always answers, and there
# are as many afterwards as before:
#
#     sh deploy/one-at-a-time.sh
set -eu
ids=$(docker compose ps --quiet ledger)
count=$(echo "$ids" | grep -c .) || { echo "No ledger runs." >&2; exit 1; }
for id in $ids; do
  docker stop --time 30 "$id" >/dev/null
  docker rm "$id" >/dev/null
  docker compose up --detach --no-deps --no-recreate --scale ledger="$count" --wait ledger
  # The proxy looks every two seconds.
  sleep 6
done
