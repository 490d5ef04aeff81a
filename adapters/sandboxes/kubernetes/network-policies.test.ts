import type { V1NetworkPolicy } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { findOpenNetwork } from './network-policies.ts';

const labels = { app: 'sandbox', tier: 'one' };
const policy = (spec: V1NetworkPolicy['spec']): V1NetworkPolicy => ({
  metadata: { name: 'p' },
  ...(spec ? { spec } : {}),
});
const both = ['Ingress', 'Egress'];
const denyAll = policy({ podSelector: {}, policyTypes: both });

test.each<[string, V1NetworkPolicy[], boolean]>([
  ['none', [], true],
  ['one for all pods', [denyAll], false],
  ['one for these pods', [policy({ podSelector: { matchLabels: { app: 'sandbox' } }, policyTypes: both })], false],
  ['one for other pods', [policy({ podSelector: { matchLabels: { app: 'web' } }, policyTypes: both })], true],
  ['one for one direction', [policy({ podSelector: {}, policyTypes: ['Ingress'] })], true],
  ['two for one direction each', both.map((type) => policy({ podSelector: {}, policyTypes: [type] })), false],
  [
    'another one that allows egress',
    [denyAll, policy({ podSelector: {}, policyTypes: ['Egress'], egress: [{}] })],
    true,
  ],
  ['another one that allows ingress', [denyAll, policy({ podSelector: {}, policyTypes: both, ingress: [{}] })], true],
  [
    'one that allows something to other pods',
    [denyAll, policy({ podSelector: { matchLabels: { app: 'web' } }, policyTypes: both, egress: [{}] })],
    false,
  ],
  [
    'expressions that fit',
    [
      policy({
        podSelector: {
          matchExpressions: [
            { key: 'app', operator: 'In', values: ['sandbox'] },
            { key: 'tier', operator: 'Exists' },
            { key: 'x', operator: 'DoesNotExist' },
            { key: 'x', operator: 'NotIn', values: ['y'] },
          ],
        },
        policyTypes: both,
      }),
    ],
    false,
  ],
  [
    'an expression that does not fit',
    [policy({ podSelector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] }, policyTypes: both })],
    true,
  ],
])('with %s', (_, policies, isOpen) => {
  expect(findOpenNetwork(policies, labels) !== undefined).toBe(isOpen);
});
