import type { ExecRequest } from '@klaus/core/agent';
import { parseHostRule } from '@klaus/core/policy';
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
 * @throws KlausError `usage` for an invalid host in the options; `sandbox.failed` for a background command, which may
 *   outlive this process.
 */
export async function openLimitedNetwork(
  request: Pick<ExecRequest, 'network' | 'relay'>,
  { hosts, env = process.env }: Pick<SandboxOptions, 'hosts' | 'env'>,
): Promise<Gateway | undefined> {
  const { network = false, relay } = request;
  if (relay !== undefined) return { ...relay, variables: {}, refused: new Set(), reached: new Set(), close() {} };
  const within = hosts?.map(parseHostRule);
  const rules = typeof network === 'object' ? network.hosts : within;
  if (network === false || rules === undefined) return undefined;
  if ('survives' in request) {
    throw new KlausError('sandbox.failed', 'The network of a background command cannot be limited to some hosts.', {
      hint: 'Run it in the foreground, or without a network.',
    });
  }
  const { openGateway } = await import('./gateway.ts');
  const secrets = typeof network === 'object' ? network.secrets : undefined;
  return await openGateway({ rules, within, env, secrets });
}

/** @throws KlausError `sandbox.failed` for a command with a limited network, in a driver that cannot limit it. */
export function refuseLimitedNetwork({ network }: Pick<ExecRequest, 'network'>, driver: string): void {
  if (typeof network !== 'object') return;
  throw new KlausError('sandbox.failed', `The ${driver} sandbox cannot limit a network to some hosts.`, {
    hint: 'Run it without a network, or in the bubblewrap sandbox.',
  });
}

/** The environment of a command, with the gateway instead of the user's proxies. */
export function toLimitedEnvironment(passed: PassedEnvironment, gateway: Gateway | undefined): PassedEnvironment {
  if (!gateway) return passed;
  const variables = Object.fromEntries(Object.entries(passed.variables).filter(([name]) => !PROXY.test(name)));
  return { ...passed, variables, settings: { ...passed.settings, ...gateway.variables } };
}
