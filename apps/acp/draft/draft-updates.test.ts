import { expect, test } from 'vitest';
import { toDiffContents } from '../updates/file-diffs.ts';
import { toDraftUpdates, toStateUpdate } from './draft-updates.ts';

let count = 0;
const newId = (): string => `new-${++count}`;

const DIFF = `--- a/one.js
+++ b/one.js
@@ -1,1 +1,1 @@
-a
+b
@@ -9,1 +9,1 @@
-c
+d
--- /dev/null
+++ b/new.js
@@ -0,0 +1,1 @@
+x
--- a/old.js
+++ /dev/null
@@ -1,1 +0,0 @@
-y
`;

test('the hunks of a diff are one content, with the operation of each file', () => {
  const [update] = toDraftUpdates(
    { sessionUpdate: 'tool_call_update', toolCallId: 'c', content: toDiffContents(DIFF, '/w') },
    newId,
  );
  expect(update).toEqual({
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    content: [
      {
        type: 'diff',
        changes: [
          { operation: 'modify', path: '/w/one.js' },
          { operation: 'add', path: '/w/new.js' },
          { operation: 'delete', path: '/w/old.js' },
        ],
        patch: { format: 'git_patch', text: DIFF },
      },
    ],
  });
});

test('a text without a message, and the thoughts of a message, are messages of their own', () => {
  const content = { type: 'text', text: 'x' } as const;
  const ids = [
    { sessionUpdate: 'agent_message_chunk', content, messageId: 'm' },
    { sessionUpdate: 'agent_thought_chunk', content, messageId: 'm' },
    { sessionUpdate: 'agent_message_chunk', content },
    { sessionUpdate: 'agent_message_chunk', content },
  ] as const;
  const updates = ids.flatMap((update) => toDraftUpdates(update, newId)) as { messageId?: string }[];
  expect(new Set(updates.map(({ messageId }) => messageId)).size).toBe(4);
  expect(updates[0]?.messageId).toBe('m');
});

test('a terminal of an output is its chunk alone, and the mode is an option', () => {
  const _meta = { terminal_output: { terminal_id: 'c', data: 'ä' } };
  expect(toDraftUpdates({ sessionUpdate: 'tool_call_update', toolCallId: 'c', _meta }, newId)).toEqual([
    { sessionUpdate: 'terminal_output_chunk', terminalId: 'c', data: Buffer.from('ä').toString('base64') },
  ]);
  expect(toDraftUpdates({ sessionUpdate: 'current_mode_update', currentModeId: 'ask' }, newId)).toEqual([]);
});

test.each([
  { sessionUpdate: 'notice', severity: 'warning', title: 'x' },
  { sessionUpdate: 'compaction_update', compactionId: 'c', status: 'completed' },
  { sessionUpdate: 'compaction_summary_chunk', compactionId: 'c', content: { type: 'text', text: 'x' } },
  { sessionUpdate: 'usage_update', used: 1, size: 2 },
] as const)('it is the same in both versions: $sessionUpdate', (update) => {
  expect(toDraftUpdates(update, newId)).toEqual([update]);
});

test('the end of work has a reason, and a failure its error', () => {
  const sessionUpdate = 'state_update';
  expect(toStateUpdate({ state: 'running' })).toEqual({ sessionUpdate, state: 'running' });
  expect(toStateUpdate({ state: 'idle' })).toEqual({ sessionUpdate, state: 'idle' });
  expect(toStateUpdate({ state: 'idle', stopReason: 'refusal' })).toEqual({
    sessionUpdate,
    state: 'idle',
    stopReason: 'refusal',
  });
  expect(toStateUpdate({ state: 'idle', stopReason: 'error', message: 'x' })).toEqual({
    sessionUpdate,
    state: 'idle',
    stopReason: 'error',
    error: { code: -32_603, message: 'x' },
  });
});
