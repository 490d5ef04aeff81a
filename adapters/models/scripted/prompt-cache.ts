import { createHash } from 'node:crypto';
import { countTokens } from './answer.ts';
import type { Conversation } from './conversation.ts';

/**
 * Counts the tokens of a request that a provider's prompt cache would have served, and remembers its prompt. The cached
 * part is its longest beginning that was sent before, but never more than the previous request of the same conversation:
 * a request that comes twice, because the client was killed in between, is charged the same both times. A server that
 * has seen nothing yet believes that the previous request was sent, so that a restart of both changes nothing either.
 */
export function createPromptCache(): (conversation: Conversation) => number {
  const seen = new Set<string>();
  return ({ prompt, model }) => {
    const isFresh = seen.size === 0;
    const hash = createHash('sha256').update(model);
    let cached = 0;
    for (const [at, piece] of prompt.pieces.entries()) {
      const key = hash.update(piece).copy().digest('base64');
      if (at < prompt.reused && (isFresh || seen.has(key)) && cached === at) cached = at + 1;
      seen.add(key);
    }
    return countTokens(prompt.pieces.slice(0, cached));
  };
}
