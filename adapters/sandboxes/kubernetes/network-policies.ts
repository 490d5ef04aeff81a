import type { V1LabelSelector, V1NetworkPolicy } from '@kubernetes/client-node';

/**
 * Why the policies of a namespace do not cut the pods with these labels off from the network; undefined if they do.
 * Policies add up: one that allows something applies in addition to one that allows nothing.
 */
export function findOpenNetwork(
  policies: readonly V1NetworkPolicy[],
  labels: Readonly<Record<string, string>>,
): string | undefined {
  const fit = policies.filter(({ spec }) => selects(spec?.podSelector ?? {}, labels));
  for (const { metadata, spec } of fit) {
    const name = metadata?.name ?? '';
    if ((spec?.ingress?.length ?? 0) > 0 || (spec?.egress?.length ?? 0) > 0)
      return `the network policy \`${name}\` allows them connections`;
  }
  for (const type of ['Ingress', 'Egress'])
    if (!fit.some(({ spec }) => spec?.policyTypes?.includes(type)))
      return `no network policy refuses them connections (${type})`;
  return undefined;
}

function selects(
  { matchLabels = {}, matchExpressions = [] }: V1LabelSelector,
  labels: Readonly<Record<string, string>>,
) {
  const hasLabels = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return (
    hasLabels &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'In') return value !== undefined && values.includes(value);
      if (operator === 'NotIn') return value === undefined || !values.includes(value);
      return operator === 'Exists' ? value !== undefined : value === undefined;
    })
  );
}
