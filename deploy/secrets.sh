#!/bin/sh
# Makes up the secrets that docker-compose.yml reads, each a file, where they are not there yet; nothing is written twice:
#
#     sh deploy/secrets.sh [FOLDER]            (./secrets)
#     sh deploy/secrets.sh FOLDER sandbox      also those of the sandbox's card provider
#
# Those that others give out (the card provider's, the identity provider's, the certificate) are made empty, to be filled in.
# The folder is its owner's alone. The files in it may be read by any user, because each container runs as a user of its own
# and gets only the files that it needs.
set -eu
folder=${1:-secrets}
kind=${2:-}
mkdir -p "$folder"
chmod 700 "$folder"

hex() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
# What is there stays: without the master key, names in the log are lost for ever.
put() {
  [ -e "$folder/$1" ] || { printf '%s\n' "$2" >"$folder/$1.new" && chmod 444 "$folder/$1.new" && mv "$folder/$1.new" "$folder/$1"; }
}
# Where the stores are others' than the compose file's, their addresses are written here by hand.
put master_key "$(hex 32)"
put internal_token "$(hex 32)"
# It signs the published tree; whoever checks a receipt knows its public half.
put transparency_key "$(hex 32)"
# Prometheus shows it: docs/how-to/operate.md.
put metrics_token "$(hex 32)"
put postgres_password "$(hex 24)"
put redis_password "$(hex 24)"
put database_url "postgres://encore:$(cat "$folder/postgres_password")@postgres:5432/encore"
# Each process has a role of its own in the same database; `encore migrate` makes it with the password that stands here.
for role in ledger projections workers audit backup; do
  put "${role}_database_url" "$(sed "s#//[^@/]*@#//encore_$role:$(hex 24)@#" "$folder/database_url")"
done
put redis_url "redis://:$(cat "$folder/redis_password")@redis:6379"
put eventstore_url "${EVENTSTORE_URL:-esdb://eventstore:2113?tls=false}"
# Only where the event store has certificates: whom its URL trusts, by tlsCAFile=/run/secrets/eventstore_ca.
put eventstore_ca ""
# Only while a key is changed: docs/how-to/rotate-keys.md.
for name in new_master_key previous_master_key stripe_webhook_secret_next stripe_connect_webhook_secret_next; do put "$name" ""; done
# The mail server, with its password: docs/how-to/mail.md.
put smtp_url ""
# Only for passes for Apple Wallet: docs/how-to/apple-wallet.md.
for name in apple_pass_certificate apple_pass_key apple_pass_key_passphrase apple_wwdr_certificate; do put "$name" ""; done
if [ "$kind" = sandbox ]; then
  put oidc_client_secret "$(hex 32)"
  put stripe_secret_key "sk_test_$(hex 24)"
  put stripe_webhook_secret "whsec_$(hex 24)"
  put stripe_connect_webhook_secret "whsec_$(hex 24)"
  put tls_certificate ""
else
  for name in oidc_client_secret stripe_secret_key stripe_webhook_secret stripe_connect_webhook_secret tls_certificate; do
    put "$name" ""
    [ -n "$(cat "$folder/$name")" ] || echo "Fill in $folder/$name."
  done
  [ -n "$(cat "$folder/smtp_url")" ] || echo "Fill in $folder/smtp_url."
fi
