import type { ToolContext } from '@klaus/core/agent';
import { toNetAccess, toNetAuthorities } from '@klaus/core/policy';
import type { NetworkPreset } from '@klaus/core/protocol';
import type { Access } from '@klaus/core/protocol';

/**
 * The hosts that an installation asks for: all that the grant names, if a registry of the preset is one of them, so that
 * packages can come from a registry that the user added. Otherwise those of the preset and the registries that the user
 * configured.
 */
export function toRegistryAccess(
  context: Pick<ToolContext, 'authorities' | 'registries'>,
  preset: NetworkPreset,
): Access[] {
  const wanted = toNetAuthorities([preset], context.registries());
  const granted = toNetAccess(context.authorities());
  const isNamed = granted.some(({ host }) => host === '*' || wanted.some((one) => one.host === host));
  return isNamed ? granted : wanted;
}
