import { discardOf } from '../copies/working-copies.ts';
import type { WorkingCopies } from '../copies/working-copy.ts';
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
import type { GcOptions } from '../engine/snapshots.ts';

/** Maximum bytes of a line: secrets are redacted in complete lines. */
const LONGEST_LINE = 32_768;

/** A background process of any session. */
export interface BackgroundProcess {
  readonly session: string;
  /** Such as `p1`. */
  readonly id: string;
  /** Its present status. */
  status(): ProcessStatus;
  /**
   * Its output from a byte on, with redacted secrets, about 32 KB at once.
   *
   * @param options.lines Only complete lines, for a reader that continues later. Default false.
   */
  read(options: { from: number; lines?: boolean }): Promise<ProcessOutput>;
  /** Ends it with everything in its sandbox. `logged` is false while another process holds the session and logs it. */
  stop(options?: { by?: string; graceMs?: number }): Promise<{ status: ProcessStatus; logged: boolean }>;
}

interface Parts {
  engine: Engine;
  store: SessionStore;
  processes: ProcessHome;
  copies: WorkingCopies;
}

/** Queries of `Klaus`. */
export function createProcessQueries(parts: Parts) {
  const { engine, store, processes, copies } = parts;
  return {
    processes: (session?: string) => (session === undefined ? processes.list() : processes.open(session).list()),
    process: async (name: string) => createBackgroundProcess(engine, await findProcess(parts, name)),
    async clearSessions(filter: ClearFilter = {}): Promise<ClearReport> {
      const report = await store.clearSessions(filter);
      for (const session of report.cleared) await processes.remove(session);
      await discardOf(copies, report.cleared);
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
      // A workspace that does not exist has no secrets.
      redactor.learn(await secrets.values().catch(() => []));
      const output = processes.read(id, { from, maxBytes: LONGEST_LINE, lines });
      return { ...output, text: redactor.redact(output.text) };
    },
    async stop({ by = 'sdk', graceMs } = {}) {
      const stopped = await processes.stop(id, { reason: `stopped by ${by}`, graceMs });
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
  if (wanted === undefined)
    throw new KlausError('usage', `"${name}" is not the name of a background process.`, { hint });
  const session = prefix === undefined ? undefined : (await store.session(prefix))?.id;
  const found = all.filter((each) => each.id === wanted && (prefix === undefined || each.session === session));
  const running = found.filter(({ state }) => state === 'running');
  const only = found.length === 1 ? found[0] : running.length === 1 ? running[0] : undefined;
  if (only) return only;
  if (found.length === 0) throw new KlausError('usage', `There is no background process ${name}.`, { hint });
  const names = (running.length > 0 ? running : found).slice(-5).map((each) => `${each.session}/${each.id}`);
  throw new KlausError('usage', `Several background processes are called ${name}.`, {
    hint: `Name one of them: ${names.join(', ')}.`,
  });
}

/** Ends the processes of this Klaus that are not marked to survive, and logs that in all sessions without a holder. */
export async function endProcesses(engine: Engine, processes: ProcessHome): Promise<void> {
  const ended = await processes.close();
  for (const session of new Set(ended.map((each) => each.session))) await recordProcesses(engine, session);
}

/** Deletes data of deleted sessions, and output of processes that ended before `since`. @returns Bytes. */
export async function collectProcesses({
  processes,
  store,
  since,
  dryRun,
}: Omit<GcOptions, 'home'> & { processes: ProcessHome }): Promise<number> {
  let freed = 0;
  for (const session of processes.sessions()) {
    if ((await store.session(session))?.id !== session) {
      freed += processes.size(session);
      if (!dryRun) await processes.remove(session);
    } else freed += processes.dropOutput(session, { endedBefore: since, dryRun });
  }
  return freed;
}
