import { describe, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { createChance } from '../undo/chance.ts';
import type { AttackClass } from './case.ts';
import { attack } from './run-case.ts';

/** `ATTACK_SEED=7` tries other cases; `ATTACK_CASE=12` only one. */
const SEED = Number(process.env['ATTACK_SEED'] ?? 1);
const ONLY = process.env['ATTACK_CASE'];

/** Declares the tests: none of the generated cases of a class has an effect. */
export function declareAttacks({ name, generate }: AttackClass, count: number): void {
  describe(`attack: ${name}`, () => {
    const indexes = ONLY === undefined ? Array.from({ length: count }, (_, index) => index) : [Number(ONLY)];
    for (const index of indexes) {
      const attackCase = generate(createChance(SEED * 100_003 + index), index);
      test(`${index} ${attackCase.name}`, async () => {
        expect((await attack(attackCase)).effects).toEqual([]);
      });
    }
  });
}
