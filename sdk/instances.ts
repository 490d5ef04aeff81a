import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { InstanceRow } from '@klaus/adapters/store';
import { toHome } from './config/home.ts';

/** A terminal or a script with a current session. */
export interface Instance extends Omit<InstanceRow, 'process'> {
  /** True while its process runs. One that was killed is neither running nor ended by itself. */
  running: boolean;
}

/** The instances of a state folder. */
export interface Instances extends Disposable {
  /** Absolute path of the folder of their sockets: the setting `socketDir`, else `run` in the state folder. */
  readonly folder: string;
  /** Seconds between SIGTERM and SIGKILL for a process that is ended: the setting `switch.graceSeconds`. */
  readonly graceSeconds: number;
  /** The program of Claude Code: the setting `claudeBinary`, else `claude`. */
  readonly claudeBinary: string;
  /** Seconds that Claude Code in a terminal has to report its session: the setting `switch.linkSeconds`. */
  readonly linkSeconds: number;
  /** The hash of a project. @param root Absolute real path. */
  hashOf(root: string): string;
  /** Registers this process. @param given.root Absolute real path of the project. */
  add(given: Pick<Instance, 'id' | 'root' | 'tty' | 'socket' | 'session'>): void;
  /** Changes the current session. */
  setSession(id: string, session: string | null): void;
  end(id: string, exitCode: number | null): void;
  /**
   * The newest last.
   *
   * @param filter.project Project hash. Default: all projects.
   * @param filter.all True: also those that do not run. Default false.
   */
  list(filter?: { project?: string; all?: boolean }): Instance[];
}

/** Characters of a project hash. */
const HASH_LENGTH = 24;

/** The first 24 characters of the SHA-256 of a project's root, in hexadecimal. */
function toProjectHash(root: string): string {
  return createHash('sha256').update(root).digest('hex').slice(0, HASH_LENGTH);
}

/**
 * Opens the list of instances, without the engine.
 *
 * @param options.home State folder. Default: `KLAUS_HOME`, else `~/.klaus`.
 * @param options.cwd Folder of the project, whose settings are read. Default: the current one.
 * @throws KlausError `store.corrupt`, `store.full`, `store.busy`, `config`.
 */
export async function openInstances(options: { home?: string; cwd?: string } = {}): Promise<Instances> {
  const [{ openInstanceTable }, { bootId, readProcess }, { loadConfiguration }] = await Promise.all([
    import('@klaus/adapters/store'),
    import('@klaus/adapters/sandboxes'),
    import('./config/load-configuration.ts'),
  ]);
  const { env } = process;
  const cwd = resolve(options.cwd ?? process.cwd());
  const home = toHome(env, cwd, options.home);
  const configuration = await loadConfiguration({ env, home, cwd });
  const table = openInstanceTable(home);
  const identify = (pid: number): string | undefined => {
    const found = readProcess(pid);
    return found === undefined || found.ended ? undefined : `${bootId()}:${found.startTime}`;
  };
  const isRunning = ({ pid, process: identity, endedAt }: InstanceRow): boolean =>
    endedAt === null && identify(pid) === identity;
  return {
    folder: configuration.get('socketDir') ?? join(home, 'run'),
    graceSeconds: configuration.get('switch.graceSeconds'),
    claudeBinary: configuration.get('claudeBinary') ?? 'claude',
    linkSeconds: configuration.get('switch.linkSeconds'),
    hashOf: toProjectHash,
    add(given) {
      table.add({
        ...given,
        project: toProjectHash(given.root),
        pid: process.pid,
        process: identify(process.pid) ?? '',
        startedAt: new Date().toISOString(),
      });
    },
    setSession: (id, session) => table.setSession(id, session),
    end: (id, exitCode) => table.end(id, new Date().toISOString(), exitCode),
    list({ project, all = false } = {}) {
      const rows = table.list({ ended: all, project });
      return rows
        .map((row) => ({ row, running: isRunning(row) }))
        .filter(({ running }) => all || running)
        .map(({ row: { process: _, ...row }, running }) => ({ ...row, running }));
    },
    [Symbol.dispose]: () => table[Symbol.dispose](),
  };
}
