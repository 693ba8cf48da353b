# What the official image does at its first start: a cluster, its owner with a password, and a database.
set -eu
user=${POSTGRES_USER:-postgres}
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=${POSTGRES_PASSWORD:-}
  [ -z "${POSTGRES_PASSWORD_FILE:-}" ] || password=$(cat "$POSTGRES_PASSWORD_FILE")
  method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}
  [ "$method" != trust ] || password=${password:-none}
  [ -n "$password" ] || { echo "POSTGRES_PASSWORD or POSTGRES_PASSWORD_FILE is needed." >&2; exit 1; }
  printf '%s\n' "$password" >/tmp/password
  # Words of its own: the arguments are split on purpose.
  initdb --username="$user" --pwfile=/tmp/password --auth-local=trust --auth-host="$method" ${POSTGRES_INITDB_ARGS:-}
  rm /tmp/password
  echo "host all all all $method" >>"$PGDATA/pg_hba.conf"
  pg_ctl -o "-c listen_addresses=''" -w start
  [ "${POSTGRES_DB:-$user}" = postgres ] || createdb --username="$user" "${POSTGRES_DB:-$user}"
  pg_ctl -m fast -w stop
fi
[ "$1" = postgres ] && shift
exec postgres -c listen_addresses='*' "$@"
