// Covers AGENTS.md, docs/recipes.md: each recipe with a diff is complete, the type check and its tests pass in a copy of the sources.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readRecipes, splitDiff } from './recipe.ts';
import { createSourceCopy, type SourceCopy } from './source-copy.ts';

const RECIPES = readRecipes(join(import.meta.dirname, '../..'));

/** Files beside the new ones that a recipe may change. */
const LARGEST_CHANGE: Readonly<Record<string, number>> = { 'A tool': 2, 'A provider': 2, 'A command': 1 };

let copy: SourceCopy;

beforeAll(() => {
  copy = createSourceCopy();
});

afterAll(() => {
  copy[Symbol.dispose]();
});

test('the recipes for a tool, a provider, an event, a command, a route and a setting have a diff', () => {
  const names = RECIPES.map(({ name }) => name);
  for (const name of ['A tool', 'A provider', 'An event', 'A command', 'A route', 'A setting']) {
    expect(names).toContain(name);
  }
});

/** `npm run test:recipes` runs all; a sample is part of `npm test`. */
const CHOSEN = process.env['RECIPES'] === 'all' ? RECIPES : RECIPES.filter(({ name }) => name in LARGEST_CHANGE);

describe.each(CHOSEN)('$name', ({ name, diff, commands }) => {
  test('changes few files', () => {
    const others = [...splitDiff(diff)].filter(([, { isNew }]) => !isNew);
    expect(others.length).toBeLessThanOrEqual(LARGEST_CHANGE[name] ?? 12);
  });

  test('is complete', { timeout: 600_000 }, () => {
    copy.apply(diff);
    onTestFinished(() => copy.apply(diff, 'reverse'));
    for (const command of ['tsc -b', 'node scripts/docs.ts', ...commands]) {
      const { status, output } = copy.run(command);
      expect(status, `${command}\n${output}`).toBe(0);
    }
  });
});
