import type { ExecRequest, ExecResult } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import type { PassedEnvironment } from '../passed-environment.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import type { Gateway } from './gateway.ts';

/** Names of variables that lead to a proxy of the user, often with a password. */
const PROXY = /^(?:https?|ftp|all|no)_proxy$/i;

/**
 * Opens the gateway of a command whose network is limited to some hosts.
 *
 * @returns Undefined for every other command.
 * @throws KlausError `sandbox.failed` for one in the background, which may outlive this process.
 */
export async function openLimitedNetwork(
  request: Pick<ExecRequest, 'network'>,
  { hosts, env = process.env }: Pick<SandboxOptions, 'hosts' | 'env'>,
): Promise<Gateway | undefined> {
  if (request.network !== true || hosts === undefined) return undefined;
  if ('survives' in request) {
    throw new KlausError('sandbox.failed', 'The network of a command in the background cannot be limited to hosts.', {
      hint: 'Run it in the foreground, or without a network.',
    });
  }
  const { openGateway } = await import('./gateway.ts');
  return await openGateway(hosts, env);
}

/** What a command is passed, with the gateway in the place of the user's proxies. */
export function toLimitedEnvironment(passed: PassedEnvironment, gateway: Gateway | undefined): PassedEnvironment {
  if (!gateway) return passed;
  const variables = Object.fromEntries(Object.entries(passed.variables).filter(([name]) => !PROXY.test(name)));
  return { ...passed, variables, settings: { ...passed.settings, ...gateway.variables } };
}

/** What of the result says which hosts were refused. */
export function toRefused(gateway: Gateway | undefined): Pick<ExecResult, 'refusedHosts'> {
  return gateway && gateway.refused.size > 0 ? { refusedHosts: [...gateway.refused] } : {};
}
