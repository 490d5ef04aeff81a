import { expect, test } from 'vitest';
import { isPromptUuid, toPromptUuid, toSessionUuid } from './preset-ids.ts';
import { toTranscript } from './transcript.ts';

const SESSION = '01K0000000000000000000000A';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

const toLines = (...entries: readonly object[]): string => entries.map((entry) => JSON.stringify(entry)).join('\n');

test('ids are UUIDs that only depend on the session', () => {
  expect(toSessionUuid(SESSION)).toMatch(UUID);
  expect(toSessionUuid(SESSION)).toBe(toSessionUuid(SESSION));
  expect(toPromptUuid(SESSION, 1)).toMatch(UUID);
  expect(toPromptUuid(SESSION, 1)).not.toBe(toPromptUuid(SESSION, 2));
  expect(isPromptUuid(SESSION, toPromptUuid(SESSION, 7_000))).toBe(true);
  expect(isPromptUuid(`${SESSION}B`, toPromptUuid(SESSION, 7))).toBe(false);
});

test('prompts of Klaus, agents that it started, and what it says to itself are no entries', () => {
  const text = [{ type: 'text', text: 'x' }];
  const { entries, costs } = toTranscript(
    toLines(
      { type: 'user', uuid: toPromptUuid(SESSION, 1), message: { content: text } },
      { type: 'user', uuid: 'meta', isMeta: true, message: { content: text } },
      { type: 'assistant', uuid: 'side', isSidechain: true, message: { content: text } },
      { type: 'attachment', uuid: 'attached', attachment: {} },
      { type: 'user', uuid: 'own', message: { content: 'typed' } },
      {
        type: 'assistant',
        uuid: 'call',
        message: { content: [{ type: 'tool_use', id: 'c', name: 'Bash', input: {} }] },
      },
      {
        type: 'user',
        uuid: 'result',
        message: { content: [{ type: 'tool_result', tool_use_id: 'c', content: 'ok' }] },
      },
      { type: 'cost-state', totalCostUSD: 1, modelUsage: {} },
      { type: 'cost-state', totalCostUSD: 2, modelUsage: { m: { inputTokens: 3 } } },
    ) + '\nno JSON\n',
    SESSION,
  );
  expect(entries).toEqual([
    { id: 'own', role: 'user', text: 'typed' },
    { id: 'call', role: 'assistant', text: 'Bash: {}', call: 'c' },
    { id: 'result', role: 'user', text: 'Result of Bash: ok', call: 'c' },
  ]);
  expect(costs).toMatchObject({ usd: 2, models: { m: { inputTokens: 3, outputTokens: 0 } } });
});
