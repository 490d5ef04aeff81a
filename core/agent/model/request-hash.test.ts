import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../protocol/index.ts';
import { createRequestHasher } from './request-hash.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

describe('request hash', () => {
  const ids = { digest, ulid: () => '', random: () => 0 };
  const message = (id: string, text: string): Message => ({
    id,
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text }],
  });
  const request = (messages: Message[]) => ({ system: 's', tools: [], messages, maxOutputTokens: 1, session: 'x' });

  test('is the same for the same content, also after incremental hashing', () => {
    const a = message('1', 'one');
    const b = message('2', 'two');
    const grown = createRequestHasher(ids);
    const first = grown(request([a]));
    const second = grown(request([a, b]));
    expect(createRequestHasher(ids)(request([message('9', 'one'), message('8', 'two')]))).toBe(second);
    expect(first).not.toBe(second);
  });

  test('changes when the history is replaced', () => {
    const hasher = createRequestHasher(ids);
    hasher(request([message('1', 'one'), message('2', 'two')]));
    const replaced = [message('3', 'summary'), message('4', 'two')];
    expect(hasher(request(replaced))).toBe(createRequestHasher(ids)(request(replaced)));
  });
});
