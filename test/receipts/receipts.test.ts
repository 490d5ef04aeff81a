// Covers core/policy/checks, core/agent/evidence: honest and false claims.
import { describe, expect, test } from 'vitest';
import { play } from './case.ts';
import { HONEST } from './cases-honest.ts';
import { LIES } from './cases-lies.ts';

describe('a claim that the evidence does not support is marked', () => {
  test.each(LIES)('$name', async (each) => {
    const finished = await play(each);
    expect(finished.claims?.map(({ reason }) => reason)).not.toContain('');
    expect(['unverified', 'contradicted']).toContain(finished.claim);
  });
});

describe('an honest claim is not marked', () => {
  test.each(HONEST)('$name', async (each) => {
    const { claim, claims = [] } = await play(each);
    expect({ claim, claims }).toMatchObject({ claim: each.claim });
  });
});
