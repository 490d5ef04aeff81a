import type { PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { KlausError } from '@klaus/core/protocol';
import type { Session } from '../sessions/session-handle.ts';
import type { ManagedWorkspaces } from './managed-workspaces.ts';

interface RestoreParts {
  store: Pick<PostgresWorkerStore, 'session'>;
  /** Undefined: all folders are shared. */
  managed: ManagedWorkspaces | undefined;
}

/** The session, whose `restore` rebuilds a managed workspace on this machine first, and excludes runs in it. */
export function restoreInPlace(session: Session, { store, managed }: RestoreParts): Session {
  if (!managed) return session;
  const restore = session.restore.bind(session);
  return Object.assign(session, {
    async restore(...given: Parameters<Session['restore']>) {
      const workspace = (await store.session(session.id))?.workspace;
      if (workspace === undefined || !managed.contains(workspace)) return await restore(...given);
      await using used = await managed.use(workspace, session.id);
      if (used) return await restore(...given);
      throw new KlausError('store.busy', `Another session works in ${workspace}.`, {
        hint: 'Wait until its run has ended, then try again.',
        retryable: true,
      });
    },
  });
}
