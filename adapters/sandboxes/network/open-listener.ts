import { KlausError } from '@klaus/core/protocol';
import { canCallSystem, openListener } from '../process/system-calls.ts';
import { RELAY_PORT } from './relay.ts';

/** True after listening in the network of a sandbox has failed in this process. */
let hasFailed = false;

/** True if a relay can listen in the network of a sandbox, which saves a program that passes its connections on. */
export function canListenInside(): boolean {
  return !hasFailed && canCallSystem();
}

/**
 * A listening socket at the port of the relay in the network of a sandbox.
 *
 * @throws KlausError `sandbox.failed`. If it cannot work on this machine, later sandboxes do without it.
 */
export async function listenInside(pid: number): Promise<unknown> {
  const { listener, failure } = await openListener(pid, RELAY_PORT);
  if (!failure) return listener;
  hasFailed ||= failure.kind === 'unusable';
  throw new KlausError('sandbox.failed', `Klaus could not listen inside the sandbox: ${failure.reason}`);
}
