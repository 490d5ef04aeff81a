import { randomUUID } from 'node:crypto';
import type { Intent, ToolContext } from '@klaus/core/agent';
import { isLimitedAccess, toCommandNetwork, type HeaderSecret, type LimitedNetwork } from '@klaus/core/policy';
import { CONTAINER_SANDBOXES, type Access } from '@klaus/core/protocol';
import { toolFailed } from '../tool-failed.ts';

/** @throws KlausError `tool.failed` for a command whose network cannot be limited to the hosts of its grant. */
export function refuseLimited(
  { sandbox }: Pick<ToolContext, 'sandbox'>,
  { access, background = false }: { access: readonly Access[]; background?: boolean },
): void {
  if (!isLimitedAccess(access)) return;
  if (background) {
    throw toolFailed('The network of a background command cannot be limited to the granted hosts.', {
      hint: 'Run it in the foreground, or without a network.',
    });
  }
  const driver = CONTAINER_SANDBOXES[sandbox.name];
  if (driver !== undefined) {
    throw toolFailed(`The ${driver} sandbox cannot limit a network to the granted hosts.`, {
      hint: 'Run it without a network; the user can choose the bubblewrap sandbox.',
    });
  }
}

/** Hosts in the title of a call. */
const MAX_SHOWN = 3;

/** The granted hosts that a command reaches, as the end of a title; empty for every other command. */
export function describeHosts(access: readonly Access[]): string {
  if (!isLimitedAccess(access)) return '';
  const names = [...new Set(access.flatMap((one) => (one.kind === 'net' ? [one.host] : [])))];
  const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : '';
  return ` (network: ${names.slice(0, MAX_SHOWN).join(', ')}${more})`;
}

/**
 * The network of a command whose intent the gate has allowed, and the variables with the placeholders of its credentials.
 *
 * @throws KlausError `auth` if the user has removed a credential.
 */
export function toGrantedNetwork(
  context: Pick<ToolContext, 'secret'>,
  intent: Pick<Intent, 'access'>,
): { network: boolean | LimitedNetwork; env: Record<string, string> } {
  const network = toCommandNetwork(intent.access);
  const env: Record<string, string> = {};
  const secrets = intent.access.flatMap((one): HeaderSecret[] => {
    if (one.kind !== 'secret') return [];
    const { name, host } = one;
    const placeholder = (env[name] ??= `klaus-${randomUUID()}`);
    return [{ placeholder, value: context.secret(intent, name, host), host }];
  });
  return { network: typeof network === 'object' && secrets.length > 0 ? { ...network, secrets } : network, env };
}
