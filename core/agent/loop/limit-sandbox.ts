import { toPublicNetwork } from '../../policy/index.ts';
import type { EventOf } from '../../protocol/index.ts';
import type { ExecRequest, Sandbox } from '../ports/sandbox.ts';

/** The same sandbox, whose commands reach public addresses only if that applies to the session. */
export function limitSandbox(sandbox: Sandbox, { privateHosts }: EventOf<'session.opened'>): Sandbox {
  if (!privateHosts) return sandbox;
  const limit = <R extends Pick<ExecRequest, 'network'>>(request: R): R => ({
    ...request,
    network: toPublicNetwork(request.network, privateHosts),
  });
  const { prestart, start } = sandbox;
  return {
    ...sandbox,
    exec: (request) => sandbox.exec(limit(request)),
    ...(prestart ? { prestart: (request) => prestart(limit(request)) } : {}),
    ...(start ? { start: (request) => start(limit(request)) } : {}),
  };
}
