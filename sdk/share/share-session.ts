import { openSecretsOf, readLog, type Engine, type SessionStore } from '@klaus/core/agent';
import { mapText } from '@klaus/core/policy';
import type { Event } from '@klaus/core/protocol';
import { toSharedHtml } from './share-html.ts';
import { createShortener } from './shorten-home.ts';

interface ShareParts {
  engine: Engine;
  store: SessionStore;
  /** Home folder of the user. */
  home: string;
}

/**
 * A session as one HTML file for others: known secrets of its folder and of Klaus are redacted, and home folders are
 * shown as `~`.
 */
export async function shareSession({ engine, store, home }: ShareParts, session: string): Promise<string> {
  const workspace = (await store.session(session))?.workspace;
  const redactor = engine.createRedactor(session);
  // Without the folder, its secrets are those that were redacted when the log was written.
  if (workspace)
    redactor.learn(
      await openSecretsOf(engine, { workspace })
        .values()
        .catch(() => []),
    );
  const toShared = createShortener(home);
  const events = await readLog(store, session);
  return toSharedHtml(
    session,
    events.map((event) => mapText(event, (text) => toShared(redactor.redact(text))) as Event),
  );
}
