import { expect, test } from 'vitest';
import { readState } from './provider-state.ts';

const thinking = (more: object) => ({ type: 'thinking' as const, text: 'hm', ...more });

test('the state of a part is that of its log, also of a former version', () => {
  expect(readState(thinking({}))).toBeUndefined();
  expect(readState(thinking({ providerState: { data: { signature: 's' } } }))).toEqual({ signature: 's' });
  expect(readState(thinking({ signature: 's' }))).toEqual({ signature: 's' });
  expect(readState(thinking({ encrypted: 'b3Bh' }))).toEqual({ redacted_thinking: 'b3Bh' });
  expect(readState(thinking({ encrypted: 'responses:rs_1:a:b' }))).toEqual({ id: 'rs_1', encrypted_content: 'a:b' });
  expect(readState(thinking({ encrypted: 'ai-sdk:own:{"bedrock":{"signature":"s"}}' }))).toEqual({
    metadata: { bedrock: { signature: 's' } },
  });
  expect(readState(thinking({ encrypted: 'ai-sdk:next:{"google":{"thoughtSignature":"s"}}' }))).toEqual({
    next: { google: { thoughtSignature: 's' } },
  });
});
