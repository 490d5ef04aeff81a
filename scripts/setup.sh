# Sourced by ./klaus and scripts/test.sh, with `root` set to this repository: installs what is missing and
# sets `node` to a Node that runs Klaus. If it cannot continue, prints what to do and exits with 3.

fail() {
  printf '%s\n' "$@" >&2
  exit 3
}

is_installed() {
  # npm writes this file last, so an interrupted install has none.
  [ -f "$root/node_modules/.package-lock.json" ] &&
    ! [ "$root/package-lock.json" -nt "$root/node_modules/.package-lock.json" ]
}

check_npm() {
  command -v node >/dev/null 2>&1 ||
    fail 'Klaus needs Node 20 or newer and npm to set itself up, and there is no node on the PATH.' \
      'Install it from https://nodejs.org/en/download, then type the same command again.'
  major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 20 ] ||
    fail "Klaus needs Node 20 or newer to set itself up; this is $(node --version) at $(command -v node)." \
      'Install a newer one from https://nodejs.org/en/download, then type the same command again.'
  command -v npm >/dev/null 2>&1 ||
    fail 'Klaus needs npm to set itself up, and there is none on the PATH.' \
      'It comes with Node from https://nodejs.org/en/download; on Debian: apt-get install npm'
  npm_major=$(npm --version 2>/dev/null | cut -d. -f1)
  [ "$npm_major" -ge 9 ] ||
    fail "Klaus needs npm 9 or newer to set itself up; this is $(npm --version 2>/dev/null)." 'Type: npm install --global npm@11'
}

install() {
  is_installed && return
  check_npm
  (
    # Two first starts at the same time would install into one folder: the second waits, then finds it done.
    if command -v flock >/dev/null 2>&1; then
      exec 9<"$root/package-lock.json"
      flock 9
      is_installed && exit 0
    fi
    printf 'Installing what Klaus needs into %s/node_modules (about a minute, only the first time) …\n' "$root" >&2
    cd "$root"
    # Errors only: the system's Node may be older than some packages want, but they run on the one installed here.
    npm ci --loglevel=error --no-audit --no-fund --no-progress --no-update-notifier >/dev/null
  ) || fail "npm ci failed in $root: see above. Fix the error, then type the same command again."
}

find_node() {
  node=$root/node_modules/.bin/node
  "$node" --version >/dev/null 2>&1 && return
  node=$(command -v node || true)
  [ -n "$node" ] && [ "$("$node" -p 'process.versions.node.split(".")[0]')" -ge 24 ] && return
  fail "Klaus runs on Node 24 or newer. npm installs one on Linux (x64, arm64); none came for $(uname -sm)." \
    'Install Node 24 from https://nodejs.org/en/download, then type the same command again.'
}

install
find_node
