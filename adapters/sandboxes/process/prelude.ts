import type { ExecLimits } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import type { Controller } from '../cgroup/cgroup-mounts.ts';

export interface PreludeOptions {
  limits: ExecLimits;
  /** Controllers whose limits a control group enforces. */
  controllers: ReadonlySet<Controller>;
  /** Other processes of the user, which count towards the kernel's limit too. Default 0. */
  others?: number;
  /** Shell lines between "go" and the command. */
  before?: readonly string[];
  /** Closes descriptor 3 before the command. Default true. */
  closesChannel?: boolean;
  /** True: the command is sent after "go" as lines, see {@link toScript}, and not as arguments. Default false. */
  receivesCommand?: boolean;
}

/**
 * The shell script that runs before every command. It writes one byte to descriptor 3 and waits there for "go". From
 * then on the kernel ends it together with Klaus, so that a Klaus process that ends during the start leaves nothing
 * behind. The end of the stream instead of "go" means that Klaus has ended. Arguments: working folder, then the command.
 */
export function toPrelude(options: PreludeOptions): string {
  return [
    'printf r >&3 || exit 125',
    'read -r go <&3 || exit 125',
    '[ "$go" = go ] || exit 125',
    ...(options.before ?? []),
    ...(options.receivesCommand ? receiveScript('<&3') : []),
    ...(options.closesChannel === false ? [] : ['exec 3>&-']),
    ...toResourceLimits(options),
    ...(options.receivesCommand ? ['eval "$script"'] : ['cd -- "$1" || exit 126', 'shift', 'exec "$@"']),
  ].join('\n');
}

/**
 * Shell lines that read a number of lines and then the lines into `$script`, with builtins only.
 *
 * @param from A redirection of the input. Default: standard input.
 */
export function receiveScript(from = ''): string[] {
  return [
    `read -r count ${from} || exit 125`,
    'script=',
    'while [ "$count" -gt 0 ]; do',
    `IFS= read -r line ${from} || exit 125`,
    'script="$script$line',
    '"',
    'count=$((count - 1))',
    'done',
  ];
}

/**
 * The script that is sent to a prelude with `receivesCommand`: the equivalent of its arguments.
 *
 * @param options.hasInput False: the command gets no input, although its shell has an open standard input.
 */
export function toScript(cwd: string, words: readonly string[], options: { hasInput: boolean }): string {
  const input = options.hasInput ? [] : ['exec </dev/null'];
  return [...input, `cd -- ${quoteShellWord(cwd)} || exit 126`, `exec ${words.map(quoteShellWord).join(' ')}`].join(
    '\n',
  );
}

/** `ulimit` lines for limits that no control group enforces. They are weaker, because they apply to each process. */
function toResourceLimits({ limits, controllers, others = 0 }: PreludeOptions): string[] {
  const lines = ['ulimit -c 0'];
  // The data segment and not the address space: Node and Java reserve far more addresses than they use.
  if (!controllers.has('memory')) lines.push(`ulimit -d ${Math.round(limits.memoryMb * 1_024)}`);
  if (!controllers.has('pids')) {
    const count = Math.round(limits.processes) + 1 + others;
    // The option letter differs between shells, and some exit on an unknown one: a subshell tries it first.
    lines.push(`if (ulimit -u ${count}) 2>/dev/null; then ulimit -u ${count}`);
    lines.push(`elif (ulimit -p ${count}) 2>/dev/null; then ulimit -p ${count}; fi`);
  }
  return lines;
}

/** The limits that are not or only partly enforced, each with the reason. */
export function toUnenforced(controllers: ReadonlySet<Controller>, isRoot: boolean): string[] {
  const found: string[] = [];
  if (!controllers.has('memory'))
    found.push('memory: no control group is writable; the limit applies to each process, not to all together');
  if (!controllers.has('cpu')) found.push('cpus: no control group is writable');
  if (!controllers.has('pids') && isRoot)
    found.push('processes: no control group is writable, and the kernel exempts root');
  return found;
}
