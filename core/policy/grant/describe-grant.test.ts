import { expect, test } from 'vitest';
import { BUNDLE_NAMES } from './bundle.ts';
import { describeCapability, describeGrant } from './describe-grant.ts';
import { parseGrant } from './parse-grant.ts';

const AT = { workspace: '/w', now: 0 };

const describeText = (text: string, more: Partial<Parameters<typeof describeGrant>[1]> = {}) => {
  const lines = describeGrant(parseGrant(text, AT), { ...AT, ...more });
  const texts = (isAllowed: boolean) => lines.filter(({ allows }) => allows === isAllowed).map(({ text: one }) => one);
  return { allowed: texts(true), refused: texts(false) };
};

/** Number of things that are refused by an agent that has tools and no other authority. */
const ALL = describeText('tool(*)').refused.length;

test('a grant without tools can only chat', () => {
  for (const text of ['nothing', 'fs(/w, rwx) exec', 'spawn(0, 0)']) {
    expect(describeText(text)).toEqual({ allowed: [], refused: [expect.stringContaining('chat')] });
  }
});

test.each([
  ['fs(/w, r) tool(*)', 1, 1],
  ['fs(/w, rw) tool(*)', 1, 2],
  ['fs(/w, r) fs(/w, w) tool(*)', 1, 2],
  ['fs(/w, r) fs(/w/docs, rw) tool(*)', 2, 2],
  ['exec tool(*)', 1, 1],
  ['exec(npm test) exec(git status) tool(*)', 2, 1],
  ['exec exec(git status) tool(*)', 1, 1],
  ['net(*, 443) net(*, 80) tool(*)', 1, 1],
  ['net(example.com, 443) net(*) tool(*)', 2, 1],
  ['spawn(1, 8) tool(*)', 2, 1],
  ['tool(read_file) tool(list_files) fs(/w, r)', 2, 1],
  ['secret(TOKEN → example.com) model(opus) spend($5) turns(3) tool(*)', 4, 0],
  ['fs(/w, r) tool(*) delegable: fs(/w, r)', 2, 1],
])('%s: each authority has its line, and what it lacks is named', (text, allowed, held) => {
  const lines = describeText(text);
  expect([lines.allowed.length, lines.refused.length]).toEqual([allowed, ALL - held]);
});

test('paths are relative to the workspace, and expiry is named', () => {
  const { allowed } = describeText('fs(/w, r) fs(/w/src, w) fs(/srv/data, r) tool(*)');
  expect(allowed).toEqual([
    expect.stringMatching(/ the workspace$/),
    expect.stringMatching(/ src$/),
    expect.stringMatching(/ \/srv\/data$/),
  ]);
  expect(describeText('exec until 2026-12-01 tool(*)').allowed[0]).toContain('2026-12-01');
  const later = { now: Date.UTC(2027, 0) };
  expect(describeText('exec until 2026-12-01 tool(*)', later).refused).toHaveLength(ALL);
  expect(describeText('exec tool(*) expires 2026-12-01', later).refused).toHaveLength(1);
});

test('authority that no allowed tool can use is not listed', () => {
  const tools = [
    { name: 'read_file', effects: ['read'] as const },
    { name: 'run_command', effects: ['execute'] as const },
  ];
  const only = describeText('fs(/w, rw) exec net(*) spawn(1, 8) tool(read_file)', { tools });
  expect(only).toEqual({
    allowed: [expect.stringMatching(/^Reads files /), expect.any(String)],
    refused: expect.any(Array),
  });
  expect(only.refused).toHaveLength(ALL - 1);
  // A command can use everything that the grant holds.
  expect(describeText('fs(/w, rw) exec net(*) tool(run_command)', { tools }).refused).toHaveLength(1);
});

test('every capability opens something', () => {
  for (const name of BUNDLE_NAMES) expect(describeCapability(name)).not.toEqual([]);
});
