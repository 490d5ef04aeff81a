import type { ExecRequest, ExecResult, Sandbox } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { ResourceGroup } from '../cgroup/resource-group.ts';
import { toExecLimits } from '../exec-limits.ts';
import { toArguments, toWorkingFolder } from '../paths.ts';
import { toPrelude, toUnenforced } from '../process/prelude.ts';
import { countTasks, listDescendants, sendSignal } from '../process/process-table.ts';
import { supervise } from '../process/supervise.ts';
import { spawnWaiting } from '../process/waiting-command.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import { endMarked, isOrphanMark, MARK, toMark } from './marked-processes.ts';
import { passEnvironment } from '../passed-environment.ts';
import { stripCredentials } from './strip-credentials.ts';
import { cannotHideParts } from '../view.ts';

/**
 * Runs in the command's process group and waits for the end of the stream to Klaus. It then kills marked processes that
 * have left the group, and the group including itself. `$1` is the mark.
 */
const WATCHER = [
  'read -r _ <&3',
  'for attempt in 1 2 3; do',
  'for file in $(grep -alF -- "$1" /proc/[0-9]*/environ 2>/dev/null); do',
  'pid=${file#/proc/}; pid=${pid%/environ}',
  '[ "$pid" = $$ ] || kill -KILL "$pid" 2>/dev/null',
  'done; done',
  'kill -KILL 0',
].join('\n');

/** Started by a shell that exits immediately, so that the watcher is not a child of the command. */
const START_WATCHER = '(/bin/sh -c "$KLAUS_WATCHER" watcher "$KLAUS_MARK" </dev/null >/dev/null 2>&1 &)';

/**
 * Runs commands on the machine without a sandbox, with the user's rights. It is used only if chosen explicitly.
 * Credentials are removed from the environment.
 *
 * When a command ends or is ended, or Klaus is killed, its process group ends, and so does every process with the
 * command's mark in its environment. A process that leaves the group **and** clears its environment is ended only if a
 * control group is writable: at the end of the command, or when Klaus starts the next one.
 */
export class HostSandbox implements Sandbox {
  readonly name = 'host';
  readonly #options: SandboxOptions;
  #swept: Promise<void> | undefined;

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    if (request.files) throw cannotHideParts('host');
    if (request.workspaceAt !== undefined) {
      throw new KlausError(
        'sandbox.unavailable',
        'The host driver cannot show another folder at the path of the workspace.',
        {
          hint: 'Install bubblewrap or start Docker.',
        },
      );
    }
    this.#swept ??= endMarked(isOrphanMark);
    await this.#swept;
    const limits = toExecLimits(this.#options.limits, request.limits);
    const cwd = toWorkingFolder(request, this.#options.workspace);
    const group = ResourceGroup.open(limits);
    const { controllers } = group;
    const mark = toMark();
    const before = [START_WATCHER, 'unset KLAUS_WATCHER KLAUS_MARK'];
    const others = controllers.has('pids') ? 0 : countTasks(process.getuid?.() ?? 0);
    const prelude = toPrelude({ limits, controllers, before, others });
    try {
      const command = await spawnWaiting(
        {
          file: '/bin/sh',
          args: ['-c', prelude, 'klaus', cwd, ...toArguments(request)],
          env: {
            ...stripCredentials(process.env),
            ...passEnvironment(this.#options, request).variables,
            ...request.env,
            [MARK]: mark,
            KLAUS_WATCHER: WATCHER,
            KLAUS_MARK: `${MARK}=${mark}`,
          },
          detached: true,
          startPipe: 'descriptor',
          onWaiting: (pid) => group.add([pid]),
          terminate: (pid) => {
            for (const member of [pid, ...listDescendants(pid)]) sendSignal(member, 'SIGTERM');
          },
          kill: (pid) => {
            endGroup(pid);
            group.kill();
          },
          waitForEnd: () => endMarked((value) => value === mark),
        },
        { takesStdin: request.stdin !== undefined, inherits: request.inherits ?? false },
      );
      using _ = request.inherits ? passSize(command.pid!) : undefined;
      const result = await supervise(command, { ...request, timeoutMs: limits.timeoutMs });
      const exceeded = group.exceeded();
      const unenforced = [
        'filesystem: the command runs with all rights of the user',
        ...(this.#options.masks ? ['secret files: the command can read them'] : []),
        "protected places: the command can change git's configuration and hooks",
        ...(request.network === true && !this.#options.hosts ? [] : ['network: the command can reach all of it']),
        ...toUnenforced(controllers, process.getuid?.() === 0),
      ];
      return { ...result, unenforced, ...(exceeded.length > 0 ? { exceeded } : {}) };
    } finally {
      await group.close();
    }
  }
}

/** Passes changes of the size of the terminal on: the command is not in its session. */
function passSize(pid: number): Disposable {
  const pass = (): void => {
    for (const member of [pid, ...listDescendants(pid)]) sendSignal(member, 'SIGWINCH');
  };
  process.on('SIGWINCH', pass);
  return { [Symbol.dispose]: () => void process.off('SIGWINCH', pass) };
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}
