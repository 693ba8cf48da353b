#!/bin/sh
# Replaces the ledgers one at a time, by what the settings, the secrets and the image are now; somebody always answers:
#
#     sh local/containers/one-at-a-time.sh
set -eu
for id in $(docker compose ps --quiet ledger); do
  docker stop --time 30 "$id" >/dev/null
  docker rm "$id" >/dev/null
  docker compose up --detach --no-deps --no-recreate --wait ledger
  # The proxy looks every two seconds.
  sleep 6
done
