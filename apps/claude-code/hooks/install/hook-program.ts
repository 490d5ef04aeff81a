import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface HookProgramOptions {
  /** Absolute path of the state folder. */
  home: string;
  /** Absolute path of the daemon's Unix socket. */
  socket: string;
  /** Command line of this Klaus: the program and its first arguments. */
  klaus: readonly string[];
  version: string;
  /** Milliseconds after which the daemon denies a call (`guard.deadlineMs`). The client waits a little longer. */
  deadlineMs: number;
}

/** The answer to a call that took too long arrives within this time. */
const MORE_SECONDS = 5;

/** Absolute path of the program that Claude Code starts for each event. */
export function toHookPath(home: string): string {
  return join(home, 'guard', 'hook');
}

/** Writes the program. Returns its path. */
export function writeHookProgram(options: HookProgramOptions): string {
  const path = toHookPath(options.home);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${process.pid}`;
  writeFileSync(part, toHookProgram(options), { mode: 0o700 });
  // The umask does not apply to it.
  chmodSync(part, 0o700);
  renameSync(part, path);
  return path;
}

/**
 * A shell program: no Node starts for a call. curl, which macOS has and nearly every Linux, asks the daemon; where it is
 * missing, the IO::Socket::UNIX of Perl. Without an answer Klaus itself starts the daemon and asks it. Every failure of
 * PreToolUse ends with exit code 2, which denies the call; another event ends with 1, which the user sees.
 */
export function toHookProgram({ home, socket, klaus, version, deadlineMs }: HookProgramOptions): string {
  const seconds = Math.ceil(deadlineMs / 1_000) + MORE_SECONDS;
  return `#!/bin/sh
# Written by \`klaus guard install\`: asks the daemon of Klaus about an event of Claude Code, and prints its answer.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin
export PATH
failed=1
[ "\${1-}" = PreToolUse ] && failed=2
fail() {
  printf 'klaus guard: %s\\n' "$1" >&2
  exit "$failed"
}
event=$(cat) || fail 'the event could not be read'
project=\${CLAUDE_PROJECT_DIR-}
case $project in
  *"
"*) fail 'the path of the project contains a line break' ;;
esac
ask_daemon() {
  if command -v curl >/dev/null 2>&1; then
    printf '%s' "$event" | curl -q --silent --fail --noproxy '*' --max-time ${seconds} --unix-socket ${quote(socket)} \\
      --header "klaus-project: $project" --header ${quote(`klaus-version: ${version}`)} --header 'content-type: application/json' \\
      --header 'expect:' --data-binary @- http://localhost/api/hooks/claude-code
  else
    printf '%s' "$event" | perl -MIO::Socket::UNIX -e '${PERL}' ${quote(socket)} ${quote(version)} "$project" ${seconds}
  fi
}
ask_klaus() {
  printf '%s' "$event" | KLAUS_HOME=${quote(home)} ${klaus.map(quote).join(' ')} guard hook
}
answer=$(ask_daemon 2>/dev/null)
status=$?
# 28: the time is over. Another attempt would take as long.
[ "$status" -eq 28 ] && fail 'the daemon did not answer in time'
if [ "$status" -ne 0 ]; then
  answer=$(ask_klaus) || fail 'Klaus did not answer. klaus guard doctor shows why'
fi
case $answer in
  '{'*'}') printf '%s\\n' "$answer" ;;
  *) fail 'the answer of Klaus is invalid' ;;
esac
`;
}

/** An HTTP client in Perl, without a single quote. Arguments: socket, version, project, seconds. */
const PERL = [
  'alarm $ARGV[3];',
  'local $/;',
  'my $event = <STDIN>;',
  'my $socket = IO::Socket::UNIX->new(Peer => $ARGV[0]) or exit 7;',
  'print $socket "POST /api/hooks/claude-code HTTP/1.0\\r\\nhost: localhost\\r\\ncontent-type: application/json\\r\\nklaus-version: $ARGV[1]\\r\\nklaus-project: $ARGV[2]\\r\\ncontent-length: ", length($event), "\\r\\n\\r\\n", $event;',
  'my ($head, $body) = split(/\\r\\n\\r\\n/, <$socket>, 2);',
  'exit 22 unless $head =~ m{^HTTP/1.. 200 };',
  'print $body;',
].join(' ');

/** A word of a shell. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
