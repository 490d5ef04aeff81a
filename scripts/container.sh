#!/bin/sh
# `npm run serve`, `serve:detach` and `stop`: compose.yaml, with `docker compose` if it is installed.
# Arguments: up [--detach] [--no-build], or down.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
cd "$root"
if docker compose version >/dev/null 2>&1; then
  case " $* " in
    *" down "* | *" --no-build "*) exec docker compose "$@" ;;
    *) exec docker compose "$@" --build ;;
  esac
fi
. "$root/scripts/setup.sh"
exec "$node" "$root/scripts/container.ts" "$@"
