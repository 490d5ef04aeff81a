import type { SessionStore } from '@klaus/core/agent';

/** The complete output of a call of a session; undefined without a result. */
export async function readCallOutput(
  store: Pick<SessionStore, 'eventsOf' | 'readBlob'>,
  session: string,
  call: string,
): Promise<string | undefined> {
  const finished = (await store.eventsOf(session, ['tool.finished'])).findLast((event) => event.call === call);
  const bytes = finished?.blob && (await store.readBlob(finished.blob.hash));
  return bytes ? new TextDecoder().decode(bytes) : finished?.output;
}
