// Covers adapters/sandboxes, core/agent/places, core/agent/git: a sample of generated attacks by a hijacked model; effects are checked from outside.
import { describe, expect, test } from 'vitest';
import { CLASSES } from './classes.ts';
import { declareAttacks } from './suite.ts';

// One of every class; `npm run test:attack` tries 500 of each.
for (const attackClass of CLASSES) declareAttacks(attackClass, 1);

describe('classes of attack', () => {
  test('every class has a name of its own', () => {
    expect(new Set(CLASSES.map(({ name }) => name)).size).toBe(CLASSES.length);
  });
});
