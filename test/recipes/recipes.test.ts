// Covers AGENTS.md, docs/recipes.md: each recipe with a diff is complete, the type check and its tests pass in a copy of the sources.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readRecipes, splitDiff } from './recipe.ts';
import { createSourceCopy, type SourceCopy } from './source-copy.ts';

const RECIPES = readRecipes(join(import.meta.dirname, '../..'));

/** Files beside the new ones that a recipe may change. */
const LARGEST_CHANGE: Readonly<Record<string, number>> = {
  'A tool': 2,
  'A provider': 2,
  'A command': 1,
  'A sign-in provider': 2,
  'A deploy target': 3,
};

let copy: SourceCopy;

beforeAll(() => {
  copy = createSourceCopy();
});

afterAll(() => {
  copy[Symbol.dispose]();
});

/** The kinds of parts for which there is a recipe with a diff. */
const KINDS = [
  ...['A tool', 'A provider', 'An event', 'A command', 'A route', 'A setting', 'A capability'],
  ...['A sign-in provider', 'A deploy target', 'An MCP server', 'A skill', 'A hook'],
];

test('the recipes have a diff', () => {
  const names = RECIPES.map(({ name }) => name);
  for (const name of KINDS) {
    expect(names).toContain(name);
  }
});

/** `npm run test:recipes` runs the commands of all; `npm test` those of one with short ones. */
const isChosen = (name: string): boolean => process.env['RECIPES'] === 'all' || name === 'A setting';

describe.each(RECIPES)('$name', ({ name, diff }) => {
  test('changes few files', () => {
    const others = [...splitDiff(diff)].filter(([, { isNew }]) => !isNew);
    expect(others.length).toBeLessThanOrEqual(LARGEST_CHANGE[name] ?? 12);
  });

  test('applies to the sources', () => {
    expect(() => copy.apply(diff)).not.toThrow();
    copy.apply(diff, 'reverse');
  });
});

const CHOSEN = RECIPES.filter(({ name }) => isChosen(name));

test.each(CHOSEN)('$name is complete', { tags: ['long'], timeout: 600_000 }, ({ diff, commands }) => {
  copy.apply(diff);
  onTestFinished(() => copy.apply(diff, 'reverse'));
  for (const command of ['tsc -b', 'node scripts/docs.ts', ...commands]) {
    const { status, output } = copy.run(command);
    expect(status, `${command}\n${output}`).toBe(0);
  }
});
