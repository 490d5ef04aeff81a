import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRedactor } from '../../policy/index.ts';
import type { EventBody, Message } from '../../protocol/index.ts';
import { redactBody } from './redact-body.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const KEY = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('');
const redactor = createRedactor({ salt: 's', digest });

function redactParts(parts: Message['parts']): Message['parts'] {
  const message: Message = { id: 'm', role: 'assistant', origin: 'model', parts };
  const body = redactBody({ type: 'message.added', run: 'r', turn: 1, message }, redactor);
  return body.type === 'message.added' ? body.message.parts : [];
}

test('every string is redacted, changed calls are marked, and signed thinking is removed', () => {
  const parts = redactParts([
    { type: 'thinking', text: `the key ${KEY}`, signature: 'sig' },
    { type: 'text', text: KEY },
    { type: 'call', id: 'c', name: 'write_file', input: { edits: [{ new: KEY }] } },
  ]);
  expect(JSON.stringify(parts)).not.toContain(KEY);
  expect(parts.map((part) => part.type)).toEqual(['text', 'call']);
  expect(parts[1]).toMatchObject({ redacted: true });
});

test('all keys and values of a foreign object are redacted', () => {
  const input = { id: KEY, before: KEY, after: [{ hash: KEY }], [KEY]: 1 };
  const parts = redactParts([{ type: 'call', id: 'c', name: 'other', input }]);
  expect(JSON.stringify(parts)).not.toContain(KEY);
  expect(parts[0]).toMatchObject({ id: 'c', redacted: true });
});

test('an event without a secret is returned without a copy', () => {
  const body: EventBody = { type: 'notice', level: 'info', text: 'nothing to see here' };
  expect(redactBody(body, redactor)).toBe(body);
});
