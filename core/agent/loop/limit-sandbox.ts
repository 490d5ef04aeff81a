import { toPublicNetwork } from '../../policy/index.ts';
import type { EventOf } from '../../protocol/index.ts';
import type { ExecRequest, Sandbox } from '../ports/sandbox.ts';

/**
 * The same sandbox, whose commands reach public addresses only if that applies to the session.
 *
 * @param sandbox A plain object.
 */
export function limitSandbox(sandbox: Sandbox, { privateHosts }: EventOf<'session.opened'>): Sandbox {
  if (!privateHosts) return sandbox;
  const limit = <R extends Pick<ExecRequest, 'network'>>(request: R): R => ({
    ...request,
    network: toPublicNetwork(request.network, privateHosts),
  });
  return {
    ...sandbox,
    exec: (request) => sandbox.exec(limit(request)),
    ...(sandbox.prestart ? { prestart: (request) => sandbox.prestart!(limit(request)) } : {}),
    ...(sandbox.start ? { start: (request) => sandbox.start!(limit(request)) } : {}),
  };
}
