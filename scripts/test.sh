#!/bin/sh
# `npm test`: every check, and the tests without the tag `long`, on a machine that has only Node 20 or newer, npm and git.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd -P)
. "$root/scripts/setup.sh"
cd "$root"
PATH=$root/node_modules/.bin:$PATH exec "$node" scripts/test/run.ts "$@"
