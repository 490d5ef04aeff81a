// Covers docs/guides/troubleshooting.md, sdk/diagnose: every documented message, provoked.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createScene, hasWords } from './case.ts';
import { CASES, SAID_BY, tidyUp } from './cases.ts';
import { splitCases } from '../../fixtures/split-cases.ts';

const ROOT = join(import.meta.dirname, '../../..');
const page = readFileSync(join(ROOT, 'docs/guides/troubleshooting.md'), 'utf8');
const sections = page
  .split(/^### /m)
  .slice(1)
  .map((section) => ({ heading: /^`(.*)`\n/.exec(section)?.[1] ?? section.split('\n')[0]!, text: section }));

test('the page has exactly the messages that are provoked here or found in the code', () => {
  const known = [...CASES.map(({ heading }) => heading), ...Object.keys(SAID_BY)];
  expect(sections.map(({ heading }) => heading).toSorted()).toEqual(known.toSorted());
});

for (const { cases, tags } of splitCases(Object.entries(SAID_BY), 24))
  test.each(cases)('%s', { tags }, (_, [file, words]) => {
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(words);
  });

for (const [index, { heading, provoke, code, doctor, missing }] of CASES.entries()) {
  // `npm test` provokes each third message.
  const tags = index % 3 === 0 ? [] : ['long' as const];
  test.skipIf(missing !== undefined)(
    `${heading}${missing === undefined ? '' : ` (${missing})`}`,
    { tags },
    async () => {
      using scene = createScene();
      try {
        const ended = await provoke(scene);
        expect(ended).toMatchObject({ code, signal: null });
        const said = ended.stdout + ended.stderr;
        expect(hasWords(said, heading), said).toBe(true);
        // Never a stack trace or "a defect in Klaus".
        expect(said).not.toMatch(/^\s+at /m);
        expect(said).not.toContain('defect');
        const section = sections.find((each) => each.heading === heading)?.text;
        if (!doctor) return;
        expect(section).toContain(`\`${doctor.name}\``);
        const looked = await scene.klaus('doctor', '--json');
        const { ok, findings } = JSON.parse(looked.stdout) as { ok: boolean; findings: Finding[] };
        const found = findings.find(({ name }) => name === doctor.name);
        expect(found, looked.stdout).toMatchObject({
          status: doctor.status,
          ...(doctor.code && { code: doctor.code }),
          text: expect.stringMatching(doctor.says),
        });
        expect(found?.fix).toMatch(/\S/);
        expect({ ok, isZero: looked.code === 0 }).toEqual({
          ok: !findings.some(({ status }) => status === 'fail'),
          isZero: ok,
        });
      } finally {
        tidyUp(scene);
      }
    },
  );
}

test('a message that differs from the page is found', () => {
  expect(hasWords('klaus: No model is called "x". Did you mean y?', 'No model is called "…".')).toBe(true);
  expect(hasWords('klaus: No model has the name "x".', 'No model is called "…".')).toBe(false);
  expect(hasWords('B then A', 'A…B')).toBe(false);
});
