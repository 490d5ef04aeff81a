import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { singleQuote } from '@klaus/sdk/quote-shell-word';

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

/** Absolute path of the program that runs a command of Claude Code in the sandbox. */
export function toSandboxPath(home: string): string {
  return join(home, 'guard', 'sandbox');
}

/** Writes both programs. Returns the path of the hook. */
export function writeHookProgram(options: HookProgramOptions): string {
  const path = toHookPath(options.home);
  writeProgram(path, toHookProgram(options));
  writeProgram(toSandboxPath(options.home), toSandboxProgram(options));
  return path;
}

function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const part = `${path}.${process.pid}`;
  writeFileSync(part, text, { mode: 0o700 });
  // The umask does not apply to it.
  chmodSync(part, 0o700);
  renameSync(part, path);
}

/** A shell program. Arguments: the project, and the command line. */
function toSandboxProgram({ home, klaus }: HookProgramOptions): string {
  return `#!/bin/sh
# Written by \`klaus guard install\`: runs a command of Claude Code in the sandbox of Klaus.
KLAUS_HOME=${singleQuote(home)} exec ${klaus.map(singleQuote).join(' ')} sandbox run --as-agent --cwd "$1" -- "$2"
`;
}

/**
 * A command line for the settings: its shell reads the program instead of starting another shell. It ends with a code
 * other than 0 if the program cannot be read.
 */
export function toHookCommand(program: string, event: string): string {
  // A shell ends with 2 if it cannot read the file, which would block the end of a turn.
  return `hook=${singleQuote(program)}; [ -f "$hook" ] && [ -r "$hook" ] || exit 1; set -- ${event}; . "$hook"`;
}

/**
 * A shell program: no Node starts for a call. Perl without modules asks the daemon, because it starts several times faster
 * than curl, which is used where Perl is missing. Without an answer Klaus itself starts the daemon and asks it. Every
 * failure of PreToolUse ends with exit code 2, which denies the call; another event ends with 1, which the user sees.
 */
export function toHookProgram({ home, socket, klaus, version, deadlineMs }: HookProgramOptions): string {
  const seconds = Math.ceil(deadlineMs / 1_000) + MORE_SECONDS;
  return `#!/bin/sh
# Written by \`klaus guard install\`: asks the daemon of Klaus about an event of Claude Code, and prints its answer.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin
export PATH
failed=1
[ "\${1-}" = PreToolUse ] && failed=2
# The second word is of Perl, which has no answer of the daemon.
if [ "\${2-}" != klaus ] && command -v perl >/dev/null 2>&1; then
  # A project can set variables of its hooks.
  unset PERL5OPT PERL5LIB PERLLIB PERL5DB PERLIO PERL_UNICODE
  # Without LC_ALL=C, Perl opens the files of the locale first.
  locale=\${LC_ALL-}
  LC_ALL=C exec perl -f -e '${PERL}' ${singleQuote(toHookPath(home))} "\${1-}" "$failed" "$locale" ${singleQuote(socket)} ${singleQuote(version)} ${seconds}
fi
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
  [ "\${1-}" != klaus ] && command -v curl >/dev/null 2>&1 || return 1
  printf '%s' "$event" | curl -q --silent --fail --noproxy '*' --max-time ${seconds} --unix-socket ${singleQuote(socket)} \\
    --header "klaus-project: $project" --header ${singleQuote(`klaus-version: ${version}`)} --header 'content-type: application/json' \\
    --header 'expect:' --data-binary @- http://localhost/api/hooks/claude-code
}
ask_klaus() {
  # A project can set them, and Klaus would load their files.
  unset NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE
  printf '%s' "$event" | KLAUS_HOME=${singleQuote(home)} ${klaus.map(singleQuote).join(' ')} guard hook
}
answer=$(ask_daemon "\${2-}" 2>/dev/null)
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

/**
 * An HTTP client in Perl, without a single quote. Arguments: this program, event, exit code of a failure, LC_ALL, socket,
 * version, seconds. Without a complete answer of status 200 it passes the event to this program again, which asks Klaus.
 */
const PERL = `
my ($hook, $name, $failed, $locale, $path, $version, $seconds) = @ARGV;
sub fail { print STDERR "klaus guard: $_[0]\\n"; exit $failed }
$SIG{ALRM} = sub { fail("the daemon did not answer in time") };
$SIG{PIPE} = "IGNORE";
alarm $seconds;
my ($event, $answer, $socket) = ("", "");
while (my $count = sysread(STDIN, $event, 1 << 18, length $event) // fail("the event could not be read")) {}
my $project = $ENV{CLAUDE_PROJECT_DIR} // "";
fail("the path of the project contains a line break") if $project =~ /[\\r\\n]/;
# AF_UNIX and SOCK_STREAM are 1 everywhere. Except on Linux, the address begins with its length.
if (socket($socket, 1, 1, 0) && connect($socket, pack(($^O eq "linux" ? "S" : "xC") . "a*x", 1, $path))) {
  my $request = "POST /api/hooks/claude-code HTTP/1.0\\r\\nhost: localhost\\r\\ncontent-type: application/json\\r\\n"
    . "klaus-version: $version\\r\\nklaus-project: $project\\r\\ncontent-length: " . length($event) . "\\r\\n\\r\\n$event";
  for (my $at = 0; $at < length $request;) { $at += syswrite($socket, $request, length $request, $at) // last }
  while (length $answer < 1 << 26 && sysread($socket, $answer, 1 << 16, length $answer)) {}
}
my ($head, $body) = split(/\\r\\n\\r\\n/, $answer, 2);
if ($answer =~ m{^HTTP/1\\.. 200 } && $head =~ /\\ncontent-length: *(\\d+)/i && $1 == length $body) {
  fail("the answer of Klaus is invalid") unless $body =~ /^\\{.*\\}$/s;
  print "$body\\n";
  exit 0;
}
alarm 0;
$SIG{PIPE} = "DEFAULT";
if (length $locale) { $ENV{LC_ALL} = $locale } else { delete $ENV{LC_ALL} }
pipe(my $from, my $to) or fail("no pipe could be opened");
my $child = fork // fail("no process could be started");
if ($child == 0) {
  close $from;
  syswrite($to, $event, length $event);
  exit 0;
}
close $to;
open(STDIN, "<&", $from) && exec("/bin/sh", $hook, $name, "klaus");
fail("Klaus could not be started");
`;
