import { openSecretsOf, readLog, type Engine, type SessionStore } from '@klaus/core/agent';
import { mapText, type Redactor } from '@klaus/core/policy';
import type { Event } from '@klaus/core/protocol';
import { toSharedHtml, type SharedSession, type ShareLanguage } from './share-html.ts';
import { createShortener } from './shorten-home.ts';

/** Child sessions in one file, also those of child sessions. */
const MAX_CHILDREN = 200;

interface ShareParts {
  engine: Engine;
  store: SessionStore;
  /** Home folder of the user. */
  home: string;
}

export interface ShareOptions {
  /** Of the texts of Klaus. Reasons of the engine stay English. Default `en`. */
  language?: ShareLanguage;
}

/**
 * A session with its child sessions as one HTML file for others: known secrets of their folders and of Klaus are
 * redacted, and home folders are shown as `~`.
 */
export async function shareSession(
  { engine, store, home }: ShareParts,
  session: string,
  { language = 'en' }: ShareOptions = {},
): Promise<string> {
  const logs = await readLogs(store, session);
  const redactor = engine.createRedactor(session);
  await learnSecrets({ engine, store, redactor }, [...logs.keys()]);
  const toShared = createShortener(home);
  const toEvents = (events: readonly Event[]) =>
    events.map((event) => mapText(event, (text) => toShared(redactor.redact(text))) as Event);
  const children = new Map<string, SharedSession>();
  for (const [id, events] of logs) children.set(id, { session: id, events: toEvents(events), children });
  const shared = children.get(session)!;
  // A session is not in itself.
  children.delete(session);
  return toSharedHtml(shared, language);
}

/** The logs of a session and of its child sessions, by session. */
async function readLogs(store: SessionStore, session: string): Promise<Map<string, Event[]>> {
  const logs = new Map<string, Event[]>();
  const pending = [session];
  for (const id of pending) {
    if (logs.has(id) || logs.size > MAX_CHILDREN || !(await store.session(id))) continue;
    const events = await readLog(store, id);
    logs.set(id, events);
    pending.push(...events.flatMap((event) => (event.type === 'child.opened' ? [event.child] : [])));
  }
  return logs;
}

/** Without their folders, the secrets of the sessions are those that were redacted when the log was written. */
async function learnSecrets(
  { engine, store, redactor }: Pick<ShareParts, 'engine' | 'store'> & { redactor: Redactor },
  sessions: readonly string[],
): Promise<void> {
  const folders = new Set<string>();
  for (const id of sessions) folders.add((await store.session(id))?.workspace ?? '');
  folders.delete('');
  for (const workspace of folders) {
    const values = openSecretsOf(engine, { workspace }).values();
    redactor.learn(await values.catch(() => []));
  }
}
