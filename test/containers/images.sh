#!/bin/sh
# Makes, where no image can be pulled, images that stand in for those that docker-compose.yml and the suites name: from
# Debian's packages, and from the Node.js of this machine. Then builds our own two on them. Needs root (debootstrap), a
# Docker engine, and a Debian mirror; nothing else of the network but npm's registry.
#
#     sudo sh test/containers/images.sh
#
# What is there already is not made again: `docker image rm` what is to be made anew. Ours are built each time.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
here=$root/test/containers/stand-ins
suite=${DEBIAN_SUITE:-bookworm}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
# The builder that every engine has; the newer one asks for a program of its own.
export DOCKER_BUILDKIT=0

say() { printf '%s\n' "$*"; }
has() { docker image inspect "$1" >/dev/null 2>&1; }
gently() { nice -n 10 ionice -c3 "$@"; }

[ "$(docker version --format '{{.Server.Os}}' 2>/dev/null)" = linux ] || { say "No Docker engine answers." >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

if ! has encore-standin/debian; then
  say "Debian $suite …"
  command -v debootstrap >/dev/null || { say "debootstrap is needed: apt-get install debootstrap" >&2; exit 1; }
  gently debootstrap --variant=minbase --include=ca-certificates "$suite" "$work/debian" "$mirror" >"$work/log" 2>&1 ||
    { tail -20 "$work/log" >&2; exit 1; }
  # It trusts whom this machine trusts: there may be a mirror of a company's own in between.
  cp /etc/ssl/certs/ca-certificates.crt "$work/debian/etc/ssl/certs/ca-certificates.crt"
  tar -C "$work/debian" --exclude='./var/cache/apt/archives/*.deb' --exclude='./dev/*' --exclude='./proc/*' -c . |
    gently docker import - encore-standin/debian >/dev/null
  rm -rf "$work/debian"
fi

if ! has encore-standin/node; then
  say "Node.js $(node --version), as it is installed here …"
  mkdir -p "$work/node/lib"
  cp "$(readlink -f "$(command -v node)")" "$work/node/node"
  cp -r "$(npm root -g 2>/dev/null)/npm" "$work/node/lib/npm"
  gently docker build --quiet --tag encore-standin/node --file "$here/node.Dockerfile" "$work/node" >/dev/null
fi

for name in postgres redis proxy; do
  has "encore-standin/$name" && continue
  say "$name, from Debian's package …"
  gently docker build --quiet --tag "encore-standin/$name" --file "$here/$name.Dockerfile" "$here" >/dev/null
done

for target in sandbox app; do
  name=encore$(test $target = app || echo "-$target")
  say "$name …"
  gently docker build --tag "$name:local" --target $target --build-arg NODE_IMAGE=encore-standin/node "$root" >"$work/log" 2>&1 ||
    { tail -40 "$work/log" >&2; exit 1; }
done
docker image ls --format '{{.Repository}}:{{.Tag}}  {{.Size}}' | grep -E '^encore' | sort
