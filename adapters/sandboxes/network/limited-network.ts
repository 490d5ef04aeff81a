import type { ExecRequest } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import type { PassedEnvironment } from '../passed-environment.ts';
import type { SandboxOptions } from '../sandbox-options.ts';
import type { Gateway } from './gateway.ts';

/** Variables with a proxy of the user, often with a password. */
const PROXY = /^(?:https?|ftp|all|no)_proxy$/i;

/**
 * Opens the gateway of a command with a limited network, or finds the relay that its caller opened.
 *
 * @returns Undefined for every other command.
 * @throws KlausError `sandbox.failed` for a background command, which may outlive this process.
 */
export async function openLimitedNetwork(
  request: Pick<ExecRequest, 'network' | 'relay'>,
  { hosts, env = process.env }: Pick<SandboxOptions, 'hosts' | 'env'>,
): Promise<Gateway | undefined> {
  if (request.relay !== undefined) return { ...request.relay, variables: {}, refused: new Set(), close() {} };
  if (request.network !== true || hosts === undefined) return undefined;
  if ('survives' in request) {
    throw new KlausError('sandbox.failed', 'The network of a background command cannot be limited to some hosts.', {
      hint: 'Run it in the foreground, or without a network.',
    });
  }
  const { openGateway } = await import('./gateway.ts');
  return await openGateway(hosts, env);
}

/** The environment of a command, with the gateway instead of the user's proxies. */
export function toLimitedEnvironment(passed: PassedEnvironment, gateway: Gateway | undefined): PassedEnvironment {
  if (!gateway) return passed;
  const variables = Object.fromEntries(Object.entries(passed.variables).filter(([name]) => !PROXY.test(name)));
  return { ...passed, variables, settings: { ...passed.settings, ...gateway.variables } };
}
