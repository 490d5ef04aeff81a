// Covers apps/web/text: reasons of the gate in the languages of the page.
import { decide, review, toDefaultGrant, type CallFacts, type GateContext } from '@klaus/core/policy';
import type { Mode } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { de } from '../../apps/web/text/de.ts';
import { en } from '../../apps/web/text/en.ts';
import { toReasonText } from '../../apps/web/text/run/reason-text.ts';

const context = (mode: Mode, more: Partial<GateContext> = {}): GateContext => ({
  grant: toDefaultGrant('/project'),
  mode,
  patchApproval: false,
  workspace: '/project',
  home: '/home/me/.klaus',
  now: 0,
  ...more,
});
const MODES: readonly Mode[] = ['plan', 'ask', 'edits', 'auto'];
const CALLS: readonly Partial<CallFacts>[] = [
  { effects: ['read'], access: [{ kind: 'fs', path: '/project/a', right: 'r' }] },
  { effects: ['write'], access: [{ kind: 'fs', path: '/project/a', right: 'w' }], inPlace: true },
  { effects: ['write'], access: [{ kind: 'fs', path: '/elsewhere/a', right: 'w' }] },
  { effects: ['execute'], access: [{ kind: 'exec', command: 'ls' }] },
  { plan: true },
];

test('every reason of a mode, a grant and an approval has a sentence in both languages', () => {
  const reasons = new Set<string>();
  for (const mode of MODES)
    for (const more of [{}, { patchApproval: true }, { isolate: true }]) {
      const gate = context(mode, more);
      for (const facts of CALLS) {
        const { findings } = decide({ name: 'write_file', effects: [], access: [], altered: false, ...facts }, gate);
        for (const { reason } of findings) reasons.add(reason);
      }
      const changes = [{ path: 'a.txt', kind: 'created' as const, before: null, after: null }];
      for (const { reason } of review({ name: 'run_command', changes, scripts: [] }, gate).findings)
        reasons.add(reason);
    }
  expect(reasons.size).toBeGreaterThan(8);
  for (const reason of reasons) {
    const [english, german] = [toReasonText(reason, en), toReasonText(reason, de)];
    expect(german, reason).not.toBe(english);
    expect(german, reason).toMatch(/[.)]$|:/);
  }
});

test('an unknown reason stays, as a sentence', () => {
  expect(toReasonText('the file moved', de)).toBe('The file moved.');
  expect(toReasonText('', de)).toBe('');
});
