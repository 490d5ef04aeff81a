import { expect, test } from 'vitest';
import { createLegacyEvents } from './legacy-events.ts';

const toProgress = (call: string) =>
  ({
    type: 'tool.progress',
    session: 's',
    call,
    offset: 0,
    text: 'saving a checkpoint of the workspace, 1 s\n',
  }) as const;

test('progress of what the client never heard of is not sent: the checkpoint of a run is no call', () => {
  const named = createLegacyEvents('s', () => 5_000);
  const head = { session: 's', run: 'run-1', turn: 1, call: 'call-1' };
  named.event({
    type: 'message.added',
    seq: 1,
    message: {
      id: 'm',
      role: 'assistant',
      origin: 'model',
      parts: [{ type: 'call', id: 'call-1', name: 'list_files', input: {} }],
    },
  } as never);
  named.event({ ...head, type: 'tool.started', seq: 2, at: 4_000 } as never);
  expect(named.live(toProgress('checkpoint-run-1'))).toEqual([]);
  expect(named.live(toProgress('call-1'))).toMatchObject([
    { name: 'tool_progress', data: { toolCallId: 'call-1', elapsedMs: 1_000 } },
  ]);
});
