import type { Event, EventOf, Klaus, SessionRow } from '@klaus/sdk';

/**
 * Stores the message of a webhook together with each event that causes one, from now on. A server sends it.
 *
 * @param isOwn True for a session that runs here. Others, and copies of them, cause no message. Default: all.
 */
export function collectWebhooks(
  { outbox }: Pick<Klaus['store'], 'outbox'>,
  isOwn: (session: string) => boolean = () => true,
): void {
  outbox.collect((event, readSession) =>
    (event.type === 'run.finished' || event.type === 'approval.asked') && isOwn(event.session)
      ? JSON.stringify(toMessage(event, readSession()))
      : undefined,
  );
}

function toMessage(event: EventOf<'run.finished' | 'approval.asked'>, row: SessionRow | undefined): object {
  const { type, at, session, run } = event;
  const about = { id: toDeliveryId(event), type, at, session, run, title: row?.title ?? null };
  if (event.type === 'approval.asked') {
    const { approval, title: question, reason, expiresAt } = event;
    return { ...about, approval, question, reason, expiresAt };
  }
  const { outcome, reason, usage, usd, turns, toolCalls } = event;
  return { ...about, workspace: row?.workspace, model: row?.model, outcome, reason, usage, usd, turns, toolCalls };
}

/** The same for each attempt, also after a restart. */
export function toDeliveryId({ session, seq }: Pick<Event, 'session' | 'seq'>): string {
  return `${session}-${seq}`;
}
