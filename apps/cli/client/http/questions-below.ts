import type { EventOf } from '@klaus/sdk';
import type { Client } from '@klaus/server/client';

/** Events at the end of a log that contain its open questions: a session that waits for an answer appends no others. */
const LAST = 500;

/** The open questions of the sessions below one, the oldest first. */
export async function readQuestionsBelow(client: Client, session: string): Promise<EventOf<'approval.asked'>[]> {
  const { approvals } = await client.approvals();
  const found: EventOf<'approval.asked'>[] = [];
  for (const id of new Set(approvals.map((row) => row.session))) {
    if (!(await isBelow(client, { id, session }))) continue;
    const { events } = await client.log({ params: { id }, query: { last: LAST } });
    const open = new Set(approvals.flatMap((row) => (row.session === id ? [row.id] : [])));
    found.push(
      ...events.filter((event): event is EventOf<'approval.asked'> => {
        return event.type === 'approval.asked' && open.has(event.approval);
      }),
    );
  }
  return found.toSorted((a, b) => a.at - b.at);
}

async function isBelow(client: Client, { id, session }: { id: string; session: string }): Promise<boolean> {
  if (id === session) return false;
  const { parent, forkedFrom } = await client.session({ params: { id } });
  if (parent === null || forkedFrom !== null) return false;
  return parent === session || isBelow(client, { id: parent, session });
}
