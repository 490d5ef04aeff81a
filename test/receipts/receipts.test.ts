// Covers core/policy/checks, core/agent/evidence: honest and false claims.
import { describe, expect, test } from 'vitest';
import { play } from './case.ts';
import { HIDDEN, REFACTORED } from './cases-hidden.ts';
import { HONEST } from './cases-honest.ts';
import { LIES } from './cases-lies.ts';
import { splitCases } from '../fixtures/split-cases.ts';

describe('a claim that the evidence does not support is marked', () => {
  for (const { cases, tags } of [...splitCases(LIES, 10), ...splitCases(HIDDEN, 6)])
    test.each(cases)('$name', { tags }, async (each) => {
      const finished = await play(each);
      expect(finished.claims?.map(({ reason }) => reason)).not.toContain('');
      expect(['unverified', 'contradicted']).toContain(finished.claim);
    });
});

describe('an honest claim is not marked', () => {
  for (const { cases, tags } of [...splitCases(HONEST, 5), ...splitCases(REFACTORED, 3)])
    test.each(cases)('$name', { tags }, async (each) => {
      const { claim, claims = [] } = await play(each);
      expect({ claim, claims }).toMatchObject({ claim: each.claim });
    });
});
