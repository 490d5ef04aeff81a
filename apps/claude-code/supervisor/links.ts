import type { Klaus } from '@klaus/sdk';
import { SupervisorError } from './supervisor-error.ts';

/**
 * The id that Claude Code gave to a session. Waits for it while the first run of the session is in progress.
 *
 * @throws SupervisorError `target-missing` if Claude Code does not know the session.
 */
export async function readLink(klaus: Klaus, id: string): Promise<string> {
  const { store } = klaus;
  const opened = await store.lastOf(id, ['session.opened']);
  if (opened?.type !== 'session.opened' || opened.runner?.name !== 'claude-code') {
    throw new SupervisorError(
      'target-missing',
      `Claude Code does not drive session ${id}. Start one with \`klaus start --runner claude-code\`, or open this one with \`klaus attach ${id}\`.`,
    );
  }
  const { promise, resolve } = Promise.withResolvers<string>();
  const unsubscribe = klaus.handle(id).subscribe(0, (event) => {
    if (event.type === 'runner.opened') resolve(event.agentSession);
  });
  try {
    const known = await store.lastOf(id, ['runner.opened']);
    if (known?.type === 'runner.opened') return known.agentSession;
    if (!(await store.isClaimed(id)) && !(await klaus.handle(id).isRunnable())) {
      throw new SupervisorError(
        'target-missing',
        `Session ${id} has no session of Claude Code yet. Send it a prompt: \`klaus message ${id} TEXT\`.`,
      );
    }
    return await promise;
  } finally {
    unsubscribe();
  }
}

/** Another session whose program is in a session of Claude Code. */
export async function findByAgentSession(
  klaus: Klaus,
  { agentSession, except }: { agentSession: string; except: string },
): Promise<string | undefined> {
  const own = await klaus.store.session(except);
  for (const { id, model } of await klaus.sessions(own ? { workspace: own.workspace } : {})) {
    if (id === except || !model?.startsWith('claude-code/')) continue;
    const last = await klaus.store.lastOf(id, ['runner.opened']);
    if (last?.type === 'runner.opened' && last.agentSession === agentSession) return id;
  }
  return undefined;
}

/** True if the program of a session runs in a sandbox. */
export async function isSandboxed(klaus: Klaus, id: string): Promise<boolean> {
  const opened = await klaus.store.lastOf(id, ['session.opened']);
  return opened?.type !== 'session.opened' || opened.sandbox !== 'host';
}
