import { optional } from '@klaus/core/optional';
import type { ProcessHome } from '@klaus/adapters/sandboxes';
import {
  loadState,
  openSecretsOf,
  recordProcesses,
  type ClearFilter,
  type ClearReport,
  type Engine,
  type ProcessOutput,
  type ProcessStatus,
  type SessionStore,
} from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';

/** Longest line that is waited for, in bytes: secrets are looked for in whole lines. */
const LONGEST_LINE = 32_768;

/** A background process, from any Klaus. */
export interface BackgroundProcess {
  readonly session: string;
  /** Such as `p1`. */
  readonly id: string;
  /** As it is now. */
  status(): ProcessStatus;
  /**
   * Its output from a byte on, with secrets taken out, about 32 KB at once.
   *
   * @param options.lines Only whole lines, for a reader that comes again. Default false.
   */
  read(options: { from: number; lines?: boolean }): Promise<ProcessOutput>;
  /** Ends it with everything in its sandbox. `logged` is false while another process holds the session and says so. */
  stop(options?: { by?: string; graceMs?: number }): Promise<{ status: ProcessStatus; logged: boolean }>;
}

interface Parts {
  engine: Engine;
  store: SessionStore;
  processes: ProcessHome;
}

interface Views {
  processes(session?: string): ProcessStatus[];
  process(name: string): Promise<BackgroundProcess>;
  clearSessions(filter?: ClearFilter): Promise<ClearReport>;
}

export function createProcessViews(parts: Parts): Views {
  const { engine, store, processes } = parts;
  return {
    processes: (session) => (session === undefined ? processes.list() : processes.open(session).list()),
    process: async (name) => createBackgroundProcess(engine, await findProcess(parts, name)),
    async clearSessions(filter = {}) {
      const report = await store.clearSessions(filter);
      for (const session of report.cleared) await processes.remove(session);
      return report;
    },
  };
}

async function createBackgroundProcess(
  engine: Engine,
  { session, id, workspace }: ProcessStatus,
): Promise<BackgroundProcess> {
  const processes = engine.openProcesses(session);
  const status = (): ProcessStatus => {
    const found = processes.find(id);
    if (!found) throw new KlausError('usage', `The background process ${session}/${id} was removed.`);
    return found;
  };
  const redactor = engine.createRedactor(session);
  const { session: opened } = await loadState(engine, session);
  const secrets = openSecretsOf(engine, { workspace, readable: opened?.readable });
  return {
    session,
    id,
    status,
    async read({ from, lines = false }) {
      status();
      // A workspace that is gone has no secrets to tell.
      redactor.learn(await secrets.values().catch(() => []));
      const output = processes.read(id, { from, maxBytes: LONGEST_LINE, lines });
      return { ...output, text: redactor.redact(output.text) };
    },
    async stop({ by = 'sdk', graceMs } = {}) {
      const stopped = await processes.stop(id, {
        reason: `stopped by ${by}`,
        ...optional({ graceMs }),
      });
      return { status: stopped, logged: await recordProcesses(engine, session) };
    },
  };
}

/** @throws KlausError `usage`. */
async function findProcess({ store, processes }: Parts, name: string): Promise<ProcessStatus> {
  const [, prefix, id] = /^(?:(\w+)\/)?(p\d+)$/i.exec(name) ?? [];
  const wanted = id?.toLowerCase();
  const all = processes.list().filter((each) => each.state !== 'unstarted');
  const hint = 'klaus ps --all lists them.';
  if (wanted === undefined) throw new KlausError('usage', `"${name}" names no background process.`, { hint });
  const session = prefix === undefined ? undefined : (await store.session(prefix))?.id;
  const found = all.filter((each) => each.id === wanted && (prefix === undefined || each.session === session));
  const running = found.filter(({ state }) => state === 'running');
  const only = found.length === 1 ? found[0] : running.length === 1 ? running[0] : undefined;
  if (only) return only;
  if (found.length === 0) throw new KlausError('usage', `There is no background process ${name}.`, { hint });
  const names = (running.length > 0 ? running : found).slice(-5).map((each) => `${each.session}/${each.id}`);
  throw new KlausError('usage', `Several background processes are called ${name}.`, {
    hint: `Say which: ${names.join(', ')}.`,
  });
}

/** Ends what this Klaus started and did not mark to survive, and says so in the logs that nobody else holds. */
export async function endProcesses(engine: Engine, processes: ProcessHome): Promise<void> {
  const ended = await processes.close();
  for (const session of new Set(ended.map((each) => each.session))) await recordProcesses(engine, session);
}

export interface CollectProcessesOptions {
  store: SessionStore;
  processes: ProcessHome;
  /** Unix milliseconds: output of processes that ended before is given up. */
  since: number;
  dryRun: boolean;
}

/** Frees what deleted sessions left, and the output of processes that ended long ago. @returns Bytes. */
export async function collectProcesses(options: CollectProcessesOptions): Promise<number> {
  const { store, processes, since, dryRun } = options;
  let freed = 0;
  for (const session of processes.sessions()) {
    if ((await store.session(session))?.id !== session) {
      freed += processes.size(session);
      if (!dryRun) await processes.remove(session);
    } else freed += processes.dropOutput(session, { endedBefore: since, dryRun });
  }
  return freed;
}
