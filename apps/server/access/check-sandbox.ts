import type { Klaus } from '@klaus/sdk';
import type { Identity } from './identity.ts';
import { checkNetwork } from './check-network.ts';
import { checkRole } from './request-guard.ts';

/**
 * Without a sandbox, the commands of a session do what the user of the server can. Only an admin works on such a session,
 * unless the setting `sandbox.driver` gives no session a sandbox. The same applies to one that reaches this machine or a
 * private network.
 *
 * @param session Complete id.
 * @throws Refusal 403 for a lower role.
 */
export async function checkSandbox(
  { klaus }: { klaus: Pick<Klaus, 'configuration' | 'store'> },
  identity: Identity,
  session: string,
): Promise<void> {
  if (identity.role === 'admin') return;
  const [opened] = await klaus.store.eventsOf(session, ['session.opened']);
  if (opened?.sandbox === 'host' && klaus.configuration.get('sandbox.driver') !== 'host') checkRole(identity, 'admin');
  checkNetwork(identity, opened);
}
