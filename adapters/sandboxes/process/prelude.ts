import type { ExecLimits } from '@klaus/core/agent';
import type { Controller } from '../cgroup/cgroup-mounts.ts';

export interface PreludeOptions {
  limits: ExecLimits;
  /** What a control group already holds. */
  held: ReadonlySet<Controller>;
  /** Processes of the user that do not belong to the command, and that the kernel counts as well. Default 0. */
  others?: number | undefined;
  /** Shell lines between "go" and the command. */
  before?: readonly string[];
  /** Default true: the command does not get descriptor 3. */
  closesChannel?: boolean;
  /** True: the command comes behind "go" as lines, see {@link toScript}, and is no argument. Default false. */
  receives?: boolean;
}

/**
 * The shell text that stands before every command: it says "ready" on descriptor 3 and waits there for "go". Only
 * then is the kernel certain to end it together with Klaus, so that a Klaus that dies while starting it leaves
 * nothing; the end of the stream instead of "go" means just that. Arguments: the working folder, then the command.
 */
export function toPrelude(options: PreludeOptions): string {
  return [
    'printf r >&3 || exit 125',
    'read -r go <&3 || exit 125',
    '[ "$go" = go ] || exit 125',
    ...(options.before ?? []),
    ...(options.receives ? RECEIVE : []),
    ...(options.closesChannel === false ? [] : ['exec 3>&-']),
    ...toResourceLimits(options),
    ...(options.receives ? ['eval "$script"'] : ['cd -- "$1" || exit 126', 'shift', 'exec "$@"']),
  ].join('\n');
}

/** Reads the number of lines, then these, into `$script`: with nothing but what is part of the shell. */
const RECEIVE = [
  'read -r count <&3 || exit 125',
  'script=',
  'while [ "$count" -gt 0 ]; do',
  'IFS= read -r line <&3 || exit 125',
  'script="$script$line',
  '"',
  'count=$((count - 1))',
  'done',
];

/**
 * What a prelude that `receives` is sent: the same as its arguments otherwise.
 *
 * @param options.hasInput False: the command gets no input, whatever its shell has.
 */
export function toScript(cwd: string, words: readonly string[], options: { hasInput: boolean }): string {
  const input = options.hasInput ? [] : ['exec </dev/null'];
  return [...input, `cd -- ${quote(cwd)} || exit 126`, `exec ${words.map(quote).join(' ')}`].join('\n');
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** `ulimit` lines for what no control group holds: per process, so a weaker promise. */
function toResourceLimits({ limits, held, others = 0 }: PreludeOptions): string[] {
  const lines = ['ulimit -c 0'];
  // Data and not address space: Node and Java reserve far more addresses than they use.
  if (!held.has('memory')) lines.push(`ulimit -d ${Math.round(limits.memoryMb * 1_024)}`);
  if (!held.has('pids')) {
    const count = Math.round(limits.processes) + 1 + others;
    // The letter differs between shells, and a wrong one ends some of them: try it in a subshell first.
    lines.push(`if (ulimit -u ${count}) 2>/dev/null; then ulimit -u ${count}`);
    lines.push(`elif (ulimit -p ${count}) 2>/dev/null; then ulimit -p ${count}; fi`);
  }
  return lines;
}

/** What is not, or only partly, enforced; each with the reason. */
export function toUnenforced(held: ReadonlySet<Controller>, isRoot: boolean): string[] {
  const found: string[] = [];
  if (!held.has('memory'))
    found.push('memory: no control group is writable; the limit holds for each process, not for all together');
  if (!held.has('cpu')) found.push('cpus: no control group is writable');
  if (!held.has('pids') && isRoot) found.push('processes: no control group is writable, and the kernel exempts root');
  return found;
}
