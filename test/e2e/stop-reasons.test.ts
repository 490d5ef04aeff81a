// Covers core/agent/loop, adapters/models: every stop reason of a model.
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

type Stop = NonNullable<Script['steps'][number]['reply']['stop']>;

/** The first answer stops for this reason; a second one would end the turn. */
const STOPS: [stop: Stop, outcome: string, requests: number][] = [
  ['end_turn', 'done', 1],
  ['stop_sequence', 'done', 1],
  ['max_tokens', 'done', 2],
  ['pause_turn', 'done', 2],
  ['refusal', 'failed', 1],
  ['model_context_window_exceeded', 'done', 2],
];

test.each(STOPS)('%s ends well: %s', async (stop, outcome, requests) => {
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'NOTES' } },
        { when: { turn: 1, user: 'Your answer was cut' }, reply: { text: 'And the rest.' } },
        { when: { turn: 1 }, reply: { text: 'Begun. ', stop } },
        { when: { turn: 0 }, reply: { text: 'Hello.' } },
      ],
      fallback: { text: 'And the rest.' },
    },
  });
  const session = await engine.klaus.open();
  await session.prompt('first');
  await session.advance();
  await session.prompt('second');
  expect(await session.advance()).toMatchObject({ finished: { outcome } });
  const turns = ofType(await Array.fromAsync(session.events()), 'model.attempted').filter(
    (event) => event.purpose === 'turn',
  );
  expect(turns).toHaveLength(1 + requests);
  expect(ofType(await Array.fromAsync(session.events()), 'turn.finished')[1]!.stopReason).toBe(stop);
});

test('an answer that is cut for ever is given up', async () => {
  await using engine = await createTestEngine({
    script: { steps: [], fallback: { text: 'on and on ', stop: 'max_tokens' } },
  });
  const session = await engine.klaus.open();
  await session.prompt('write a book');
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'failed' } });
  expect(ofType(await Array.fromAsync(session.events()), 'turn.finished')).toHaveLength(4);
});
