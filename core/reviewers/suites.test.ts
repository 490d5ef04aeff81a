// Covers core/reviewers: the rules decide at least 70 % of the labelled diffs, and are right in at least 98 % of those.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDiff } from './changes/parse-diff.ts';
import { planValidate } from './definitions/plan-validate.ts';
import { styleDrift } from './definitions/style-drift.ts';
import { validateIntent } from './definitions/validate-intent.ts';

interface Case {
  suite: 'style' | 'plan' | 'scope';
  name: string;
  label: 'pass' | 'deny';
  request: string[];
  plan: string;
  complete: boolean;
  diff: string;
}

const FOLDER = join(import.meta.dirname, 'fixtures');

/** `=== NAME | pass or deny [| complete]`, `request:` and `plan:` lines, and a diff whose hunks need no counts. */
function readCases(file: string): Case[] {
  const suite = file.split('-')[0]!.replace('.txt', '') as Case['suite'];
  const blocks = readFileSync(join(FOLDER, file), 'utf8').split(/^=== /m).slice(1);
  return blocks.map((block) => {
    const [head = '', ...lines] = block.replace(/\n+$/, '').split('\n');
    const [name = '', label, complete] = head.split('|').map((part) => part.trim());
    if (label !== 'pass' && label !== 'deny') throw new Error(`${file}: ${name} has no label.`);
    const take = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
    const start = lines.findIndex((line) => /^(?:diff|---) /.test(line));
    return {
      suite,
      name,
      label,
      request: take('request: '),
      plan: take('plan: ').join('\n'),
      complete: complete === 'complete',
      diff: withCounts(lines.slice(start)),
    };
  });
}

/** Adds positions and counts to hunks that begin with a bare `@@`. */
function withCounts(lines: readonly string[]): string {
  const result: string[] = [];
  let at = -1;
  let counts = { old: 0, fresh: 0 };
  const close = () => {
    if (at < 0) return;
    const { old, fresh } = counts;
    result[at] = `@@ -${old === 0 ? 0 : 10},${old} +${fresh === 0 ? 0 : 10},${fresh} @@`;
    at = -1;
  };
  for (const line of lines) {
    if (line.startsWith('diff --git ') || /^--- (?:a\/|\/dev)/.test(line)) close();
    if (line === '@@') {
      close();
      counts = { old: 0, fresh: 0 };
      at = result.push('') - 1;
      continue;
    }
    const text = at >= 0 && line === '' ? ' ' : line;
    if (at >= 0 && !text.startsWith('+')) counts.old += 1;
    if (at >= 0 && !text.startsWith('-')) counts.fresh += 1;
    result.push(text);
  }
  close();
  return `${result.join('\n')}\n`;
}

function decide({ suite, request, plan, complete, diff }: Case) {
  const changes = parseDiff(diff);
  if (changes.length === 0) throw new Error('the diff has no files');
  switch (suite) {
    case 'style':
      return styleDrift.decide({ request, changes });
    case 'scope':
      return validateIntent.decide({ request, changes });
    case 'plan':
      return planValidate.decide({ request, plan, changes, complete });
  }
}

function measure(cases: readonly Case[]) {
  const results = cases.map((each) => ({ ...each, found: decide(each) }));
  const decided = results.filter(({ found }) => found !== undefined);
  const wrong = decided.filter(({ found, label }) => found!.outcome !== label);
  return {
    all: cases.length,
    decided: decided.length,
    right: decided.length - wrong.length,
    wrong: wrong.map(({ suite, name, found }) => `${suite}/${name}: ${found!.outcome}: ${found!.reason}`),
    open: results
      .filter(({ found }) => found === undefined)
      .map(({ suite, name, label }) => `${suite}/${name} (${label})`),
  };
}

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.txt'));
const sets = [
  ['written with the rules', files.filter((file) => !file.includes('-later'))],
  ['written after the rules', files.filter((file) => file.includes('-later'))],
] as const;

test.each(sets)('%s: at least 70 %% are decided, and at least 98 %% of those correctly', (title, names) => {
  const cases = names.flatMap(readCases);
  const { all, decided, right, wrong, open } = measure(cases);
  const percent = (part: number, of: number) => `${((part / of) * 100).toFixed(1)} %`;
  process.stderr.write(
    `${title}: ${all} diffs, decided ${decided} (${percent(decided, all)}), right ${right} (${percent(right, decided)})\n`,
  );
  if (process.env['SHOW']) process.stderr.write(`${[...wrong, ...open].join('\n')}\n`);
  expect(wrong.length / decided, wrong.join('\n')).toBeLessThanOrEqual(0.02);
  expect(decided / all).toBeGreaterThanOrEqual(0.7);
});
