import type { ToolContext } from '@klaus/core/agent';
import { isLimitedAccess } from '@klaus/core/policy';
import type { Access } from '@klaus/core/protocol';
import { toolFailed } from '../tool-failed.ts';

/** @throws KlausError `tool.failed` for a command whose network cannot be limited to the hosts of its grant. */
export function refuseLimited(
  { sandbox }: Pick<ToolContext, 'sandbox'>,
  { access, background = false }: { access: readonly Access[]; background?: boolean | undefined },
): void {
  if (!isLimitedAccess(access)) return;
  if (background) {
    throw toolFailed('The network of a background command cannot be limited to the granted hosts.', {
      hint: 'Run it in the foreground, or without a network.',
    });
  }
  if (sandbox.name === 'docker') {
    throw toolFailed('The Docker sandbox cannot limit a network to the granted hosts.', {
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
