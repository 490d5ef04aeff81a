import { parseDiff, review, REVIEWERS, type Judge } from '@klaus/sdk/verification';
import type { z } from 'zod';
import { ask } from './ask.ts';
import type { Chain } from './chain.ts';
import { StageFailure, toStageFailure } from './failure.ts';
import type { IntentResult } from './result.ts';
import { stage } from './stage.ts';

const MAX_TURNS = 4;

/**
 * Compares the uncommitted changes with what the user asked for.
 *
 * @param options.request The user's own messages, oldest first.
 * @throws StageFailure `intent.drifted`, and those of the model.
 */
export async function validateIntent(chain: Chain, { request }: { request: readonly string[] }): Promise<IntentResult> {
  const staged = await stage(chain, { stage: 'intent', hooks: false });
  if (staged.cut) {
    throw new StageFailure(
      { stage: 'intent', code: 'intent.large' },
      'The changes are too large to be compared with a request.',
      {
        hint: 'Commit a part of them first.',
      },
    );
  }
  chain.report('intent: comparing the changes with the request');
  let failed: StageFailure | undefined;
  const judge: Judge = {
    async judge({ tier, system, prompt, schema }) {
      try {
        const { value } = await ask(chain, {
          stage: 'intent',
          title: 'Comparison with the request',
          model: tier,
          usd: chain.klaus.configuration.get('verification.usd'),
          turns: MAX_TURNS,
          grant: ['fs(., r)', 'tool(read_file)'],
          prompt: `${system}\n\n${prompt}`,
          schema: schema as z.ZodType<unknown>,
        });
        // The cost is in the log of the session.
        return { answer: value, model: tier, input: 0, output: 0, usd: null };
      } catch (error) {
        throw (failed = toStageFailure('intent', error));
      }
    },
  };
  const input = { request: [...request], changes: parseDiff(staged.diff) };
  const options = { judge, mode: 'strict', signal: chain.signal } as const;
  const verdict = await review(REVIEWERS['validate-intent'], input, options);
  // A missing key or a reached limit is no opinion about the changes.
  if (failed) throw failed;
  if (verdict.outcome === 'pass') return { ok: true, message: verdict.reason };
  throw new StageFailure({ stage: 'intent', code: 'intent.drifted' }, verdict.reason, {
    hint: 'Undo what the user did not ask for, and do what is missing.',
  });
}
