import { findPrivateHosts, type EventOf, type Klaus } from '@klaus/sdk';
import type { Identity } from './identity.ts';
import { checkRole } from './request-guard.ts';

type Store = Pick<Klaus['store'], 'eventsOf'>;

/** Sessions of clients below admin reach public addresses only. */
export function isPublicOnly({ role }: Identity): boolean {
  return role !== 'admin';
}

/**
 * A session with authority for this machine or a private network, which an admin opened, is worked on by an admin only.
 *
 * @throws Refusal 403 for a lower role.
 */
export function checkNetwork(identity: Identity, opened: EventOf<'session.opened'> | undefined): void {
  if (!opened || opened.privateHosts) return;
  const { grant, workers = [] } = opened;
  const held = [grant, ...workers.map((worker) => worker.grant)].flatMap((each) => [
    ...each.authorities,
    ...(each.delegable ?? []),
  ]);
  const isEvery = held.some((one) => one.kind === 'net' && one.host === '*' && one.port === 0);
  if (isEvery || findPrivateHosts(held, []).length > 0) checkRole(identity, 'admin');
}

/** Tools that use the network of an earlier call. */
const STARTS_AGAIN = 'process_control';

/**
 * An approval of a call with a network in a session that an admin opened could reach this machine, so that an admin gives
 * it.
 *
 * @param network.effects The effects of a tool; undefined for one of an MCP server.
 * @throws Refusal 403 for a lower role.
 */
export async function checkApproval(
  { store, effects }: { store: Store; effects: (tool: string) => readonly string[] | undefined },
  identity: Identity,
  { subject, session }: EventOf<'approval.asked'>,
): Promise<void> {
  if (identity.role === 'admin' || subject.kind !== 'call') return;
  const [opened] = await store.eventsOf(session, ['session.opened']);
  if (opened?.privateHosts) return;
  if (subject.escalation?.authorities.some(({ kind }) => kind === 'net')) return checkRole(identity, 'admin');
  const messages = await store.eventsOf(session, ['message.added']);
  const input = JSON.stringify(
    messages.flatMap(({ message }) => message.parts.filter((part) => 'id' in part && part.id === subject.call)),
  );
  const hasNetwork = effects(subject.name)?.includes('network') ?? true;
  if (hasNetwork || subject.name === STARTS_AGAIN || input.includes('"network":true')) checkRole(identity, 'admin');
}
