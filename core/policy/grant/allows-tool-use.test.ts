import { expect, test } from 'vitest';
import type { Effect } from '../../protocol/index.ts';
import { allowsToolUse } from './allows-tool-use.ts';
import { parseGrant } from './parse-grant.ts';

test.each<[string, Effect[], boolean]>([
  ['nothing', [], false],
  ['tool(*)', [], true],
  ['tool(*)', ['read'], false],
  ['fs(/w, r)', ['read'], false],
  ['tool(x) · fs(/w, r)', ['read'], true],
  ['tool(y) · fs(/w, r)', ['read'], false],
  ['tool(*) · fs(/w, r)', ['read', 'write'], false],
  ['tool(*) · fs(/w, w)', ['read', 'write'], false],
  ['tool(*) · fs(/w, rw)', ['read', 'write'], true],
  ['tool(*) · fs(/w, rx)', ['execute'], false],
  ['tool(*) · exec(npm test)', ['execute'], true],
  ['tool(*) · net(example.com, 443)', ['network'], true],
  ['tool(*) · exec', ['deploy'], false],
  ['tool(*) · exec · net(*, 0)', ['deploy'], true],
  ['tool(*) · spawn(1, 2)', ['spawn'], true],
  ['file-operations', ['spawn'], false],
])('%s allows a tool with the effects %j: %j', (text, effects, isAllowed) => {
  const grant = parseGrant(text, { workspace: '/w', now: 0 });
  expect(allowsToolUse(grant, { name: 'x', effects }, 0)).toBe(isAllowed);
});

test('an expired authority allows nothing', () => {
  const grant = parseGrant('tool(*) · fs(/w, r) until 1h', { workspace: '/w', now: 0 });
  const tool = { name: 'x', effects: ['read'] as const };
  expect([0, 3_600_000].map((now) => allowsToolUse(grant, tool, now))).toEqual([true, false]);
});
