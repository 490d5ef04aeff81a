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

  test('depends on temperature and effort, and is unchanged without them', () => {
    const plain = request([message('1', 'one')]);
    const hashes = [plain, { ...plain, temperature: 0 }, { ...plain, effort: 'low' as const }].map((each) =>
      createRequestHasher(ids)(each),
    );
    expect(new Set(hashes).size).toBe(3);
    const base = digest(JSON.stringify(['s', []]));
    expect(hashes[0]).toBe(digest(base + JSON.stringify(['user', [{ type: 'text', text: 'one' }]])));
  });

  test('changes when the history is replaced', () => {
    const hasher = createRequestHasher(ids);
    hasher(request([message('1', 'one'), message('2', 'two')]));
    const replaced = [message('3', 'summary'), message('4', 'two')];
    expect(hasher(request(replaced))).toBe(createRequestHasher(ids)(request(replaced)));
  });
});
