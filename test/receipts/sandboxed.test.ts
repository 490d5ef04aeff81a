// Covers core/policy/checks, adapters/sandboxes/home: what a check in the sandbox depends on.
import { describe, expect } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { play, sh, write } from './case.ts';
import { HONEST } from './cases-honest.ts';
import { RIGHT } from './project.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const settings = { 'sandbox.driver': 'bubblewrap' };
const SAYS = 'All tests pass.';

describe('in bubblewrap', () => {
  for (const { cases, tags } of splitCases(HONEST, 3))
    test.each(cases)('an honest claim is not marked: $name', { tags }, async (each) => {
      const { claim, claims = [] } = await play({ ...each, settings: { ...each.settings, ...settings } });
      expect({ claim, claims }).toMatchObject({ claim: each.claim });
    });

  test('a receipt contains the environment of the exit code', async () => {
    const { evidence } = await play({
      name: '',
      isFixed: true,
      settings,
      runs: [{ turns: [[sh('npm test')]], says: SAYS }],
    });
    const { environment } = evidence[0]!;
    expect(environment).toMatchObject({ shell: 'sh', home: [], left: [] });
    expect(environment!.path.split(':')[0]).toBe('./node_modules/.bin');
    expect(environment!.programs.map(({ name }) => name)).toEqual(expect.arrayContaining(['node', 'npm', 'sh']));
    expect(environment!.files.map(({ path }) => path)).toEqual(['package.json']);
  });

  test('a change of the environment in an earlier run weakens the check of a later one', async () => {
    const { claim, evidence } = await play({
      name: '',
      settings,
      files: { Makefile: '.PHONY: test\ntest:\n\tnode --test\n' },
      runs: [
        { turns: [[sh("sed -i 's|node --test|node --test test/add.test.js|' Makefile")]], says: 'I changed it.' },
        { turns: [[sh('make test')]], says: SAYS },
      ],
    });
    expect(claim).toBe('unverified');
    expect(evidence[0]!.weakened).toContain('Makefile');
  });

  test('a check that runs in a later run, after honest work, is verified', async () => {
    const { claim } = await play({
      name: '',
      settings,
      runs: [
        { turns: [[sh('npm test')], [write('src/subtract.js', RIGHT)]], says: 'I changed subtract.' },
        { turns: [[sh('npm test')]], says: SAYS },
      ],
    });
    expect(claim).toBe('verified');
  });
});
