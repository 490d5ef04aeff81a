import type { ModelFailure } from '@klaus/core/agent';
import type { Check } from '../check.ts';
import { CheckSkipped, need } from '../check-error.ts';
import { describe, toMessage, type Question } from '../live-server.ts';
import type { TargetChanges } from '../target.ts';

const ABSENT = 'no-such-model-4711';
const WRONG_KEY = 'wrong-key-4711';
/** A red picture of 16 × 16 pixels. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAF0lEQVR4nGP4z8BAEiJN9aiGUQ1DSgMAkPn/Afnh+ngAAAAASUVORK5CYII=';

/** Requests that servers refuse, from usual to unusual. */
const INVALID: readonly (readonly [what: string, changes: TargetChanges, question: Question])[] = [
  ['no messages', {}, { messages: [] }],
  ['a wrong type of a field', { body: { temperature: 'hot', stop: { not: 'a list' } } }, { text: 'Hi.' }],
  ['a wrong choice of tools', { body: { tool_choice: 4_711 } }, { text: 'Hi.' }],
  ['an unknown format', { body: { response_format: { type: 'no_such_format' } } }, { text: 'Hi.' }],
];

const unknownModel: Check = {
  name: 'an unknown model',
  async run(server) {
    const { end } = await server.ask(await server.open({ model: ABSENT }), { text: 'Hi.', maxOutputTokens: 16 });
    if (end.type === 'finished') throw new CheckSkipped('The server answers to any id of a model.');
    needWords(end.failure);
    need(end.failure.code === 'invalid_request' && end.failure.cause === 'unknown_model', describe(end.failure));
    return describe(end.failure);
  },
};

const wrongKey: Check = {
  name: 'a wrong key',
  async run(server) {
    const { end } = await server.ask(await server.open({ key: WRONG_KEY }), { text: 'Hi.', maxOutputTokens: 16 });
    if (end.type === 'finished') throw new CheckSkipped('The server does not check keys.');
    needWords(end.failure);
    need(end.failure.code === 'auth', describe(end.failure));
    return describe(end.failure);
  },
};

const invalidRequest: Check = {
  name: 'an invalid request',
  async run(server) {
    for (const [what, changes, question] of INVALID) {
      const { end } = await server.ask(await server.open(changes), { ...question, maxOutputTokens: 16 });
      if (end.type === 'finished') continue;
      needWords(end.failure);
      need(end.failure.code === 'invalid_request', `${what}: ${describe(end.failure)}`);
      return `${what}: ${describe(end.failure)}`;
    }
    throw new CheckSkipped(`The server accepted ${INVALID.map(([what]) => what).join(', ')}.`);
  },
};

const image: Check = {
  name: 'an image',
  async run(server) {
    const messages = [
      toMessage('user', [
        { type: 'image', mediaType: 'image/png', data: PICTURE },
        { type: 'text', text: 'Which color is this?' },
      ]),
    ];
    const { end } = await server.ask(await server.open(), { messages, maxOutputTokens: 16 });
    if (end.type === 'finished') return `accepted, ${end.usage.input} tokens of the prompt`;
    const { failure } = end;
    needWords(failure);
    need(
      failure.refused?.kind === 'image' && failure.refused.isKind,
      `Not known as a refusal of images: ${describe(failure)}`,
    );
    return `refused as a kind: ${describe(failure)}`;
  },
};

/** The message of a failure is text that the server sent. */
function needWords(failure: ModelFailure): void {
  const words = failure.message.split(': ')[0]!.slice(0, 40);
  const isSent = failure.body?.includes(words) || failure.body?.includes(JSON.stringify(words).slice(1, -1));
  need(words !== '' && isSent === true, `Not the words of the server: ${describe(failure)}`);
}

export const ERROR_CHECKS: readonly Check[] = [unknownModel, wrongKey, invalidRequest, image];
