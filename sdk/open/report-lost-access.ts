import { existsSync, realpathSync } from 'node:fs';
import { loadState, readLog, SINCE_BEGIN } from '@klaus/core/agent';
import type { EventBody, EventOf } from '@klaus/core/protocol';
import type { OpenInput } from './open-session.ts';

type ReportInput = Pick<OpenInput, 'engine' | 'env'>;

/** {@link reportLostAccess}, once for each session. */
export function createLostAccessReport(input: ReportInput): (session: string) => Promise<void> {
  const reported = new Set<string>();
  return async (session) => {
    if (!reported.has(session)) await reportLostAccess(input, session);
    reported.add(session);
  };
}

/**
 * Appends to the log what commands of a session cannot see any more since it was opened: folders outside of the workspace,
 * and environments of the user's shell. Each is reported once, and only between runs: the opening reports those before the
 * first run.
 */
async function reportLostAccess({ engine, env }: ReportInput, session: string): Promise<void> {
  const lease = await engine.store.claim(session);
  // Its holder has already checked.
  if (!lease) return;
  try {
    const { session: opened, run, lastRun, closed } = await loadState(engine, session);
    if (!opened || run || !lastRun || closed) return;
    const found = [...findLost(opened), ...(await findRefused({ engine, env }, opened))];
    if (found.length === 0) return;
    const said = new Set<string>();
    for (const event of await readLog(engine.store, session)) if (event.type === 'notice') said.add(event.text);
    const news = found.filter((text) => !said.has(text) && !said.has(`${SINCE_BEGIN}${text}`));
    const bodies = news.map((text): EventBody => ({ type: 'notice', level: 'warn', text: `${SINCE_BEGIN}${text}` }));
    if (bodies.length === 0) return;
    const at = engine.clock.now();
    await engine.store.append(
      session,
      bodies.map((body) => ({ ...body, at })),
      { lease },
    );
  } finally {
    await lease.release();
  }
}

type Opened = EventOf<'session.opened'>;

/** Folders outside of the workspace that were deleted or replaced by a link. */
function findLost({ readable = [], writable = [] }: Opened): string[] {
  const isThere = (path: string): boolean => existsSync(path) && realpathSync.native(path) === path;
  return readable
    .filter((path) => !isThere(path))
    .map((path) => {
      const right = writable.includes(path) ? 'see or change' : 'see';
      return `${path} is gone, or a symbolic link has replaced it: commands do not ${right} it.`;
    });
}

async function findRefused({ engine, env }: ReportInput, opened: Opened): Promise<string[]> {
  if (opened.sandbox !== 'bubblewrap') return [];
  const { findRefusedEnvironments } = await import('@klaus/adapters/sandboxes');
  const { workspace, readable = [] } = opened;
  return findRefusedEnvironments({ workspace, home: engine.home, env, shown: readable });
}
