import type { Instance, Instances } from '@klaus/sdk';
import { SocketError } from './socket-error.ts';

/**
 * The running instance that is meant: the wanted one, the one of the environment, or the only one of the project.
 *
 * @param given.project Project hash.
 * @param given.wanted Id or its beginning.
 * @param given.own Id in `KLAUS_INSTANCE_ID`; ignored if it does not run.
 * @throws SocketError `E_INSTANCE_NOT_FOUND`, or `E_AMBIGUOUS_INSTANCE` with the candidates.
 */
export function findInstance(
  instances: Instances,
  { project, wanted, own }: { project: string; wanted?: string; own?: string },
): Instance {
  const running = instances.list({ project });
  const matching = wanted === undefined ? running : running.filter(({ id }) => id.startsWith(wanted.toUpperCase()));
  const exact = matching.find(({ id }) => id === (wanted ?? own));
  if (exact) return exact;
  const [only, second] = matching;
  if (!only)
    throw new SocketError(
      'E_INSTANCE_NOT_FOUND',
      `No instance${wanted === undefined ? '' : ` ${wanted}`} of this project runs.`,
    );
  if (!second) return only;
  const list = matching.map(({ id, tty, session }) =>
    [id, tty, session && `session ${session}`].filter(Boolean).join(' '),
  );
  throw new SocketError('E_AMBIGUOUS_INSTANCE', `Several instances of this project match: ${list.join(', ')}.`);
}
