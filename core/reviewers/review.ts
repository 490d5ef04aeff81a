import { z } from 'zod';
import type { Tier } from '../protocol/settings/provider-table.ts';
import { messageOf } from '../protocol/index.ts';
import type { Judge, JudgeAnswer } from './judge.ts';
import type { ReviewCost, Reviewer, ReviewVerdict } from './reviewer.ts';
import type { VerdictCache } from './verdict-cache.ts';

/** `strict`: the model answers before the action. `lazy`: only the rules do; the model's denial follows. */
export type ReviewMode = 'strict' | 'lazy';

export interface ReviewOptions {
  /** Undefined without a usable key: only the rules are applied, and the verdict says so. */
  judge?: Judge;
  cache?: VerdictCache;
  mode: ReviewMode;
  signal: AbortSignal;
  /** Lazy mode: receives the verdict of the model, pass or deny. It must not throw. */
  onLate?: (verdict: ReviewVerdict) => void;
}

/** Answers that are asked for again after an invalid one. */
const MAX_REPEATS = 2;

const NO_JUDGE =
  'Only the rules were applied, and they did not decide: no model is available. Set the key of a provider for the rest.';

/** Answers of the model have this shape. */
export function toAnswerSchema({ words }: Pick<Reviewer, 'words'>) {
  return z.object({
    verdict: z.enum([words.pass, words.deny]),
    reason: z.string().min(1).max(2_000),
    findings: z
      .array(z.object({ file: z.string().optional(), line: z.int().positive().optional(), text: z.string() }))
      .max(50)
      .optional(),
  });
}

/**
 * Reviews one input: the rules first, then a cached verdict, then the judge. Never throws for a judge: one that fails,
 * takes too long or gives no valid answer denies.
 *
 * @throws ZodError if the input does not have the shape of the reviewer.
 */
export async function review<Input>(
  reviewer: Reviewer<Input>,
  input: Input,
  options: ReviewOptions,
): Promise<ReviewVerdict> {
  const { name, withoutJudge = 'pass' } = reviewer;
  const checked = reviewer.input.parse(input);
  const decided = decide(reviewer, checked);
  if (decided) return decided;
  const { judge, cache, mode, onLate } = options;
  const tier = judge?.tiers?.[name] ?? reviewer.tier;
  const key = JSON.stringify([name, reviewer.version, tier, checked]);
  const known = await read(cache, key);
  if (known) return { ...known, cached: true };
  if (!judge) return { reviewer: name, outcome: withoutJudge, reason: NO_JUDGE, decidedBy: 'unavailable' };
  const judged = askJudge(reviewer, checked, { judge, tier, signal: options.signal }).then(async (verdict) => {
    if (verdict.decidedBy === 'model') await write(cache, key, verdict);
    return verdict;
  });
  if (mode === 'strict') return judged;
  void judged.then((verdict) => onLate?.(verdict));
  return {
    reviewer: name,
    outcome: withoutJudge,
    reason: 'The rules did not decide. The model reviews it in the background.',
    decidedBy: 'rules',
    pending: true,
  };
}

/** A rule that throws denies, as in the gate. */
function decide<Input>(reviewer: Reviewer<Input>, input: Input): ReviewVerdict | undefined {
  const head = { reviewer: reviewer.name, decidedBy: 'rules' as const };
  try {
    const found = reviewer.decide(input);
    return found && { ...head, ...found };
  } catch (error) {
    return { ...head, outcome: 'deny', reason: `The rules failed: ${messageOf(error)}` };
  }
}

async function askJudge<Input>(
  reviewer: Reviewer<Input>,
  input: Input,
  { judge, tier, signal }: { judge: Judge; tier: Tier; signal: AbortSignal },
): Promise<ReviewVerdict> {
  const schema = toAnswerSchema(reviewer);
  const { words, name } = reviewer;
  let cost: ReviewCost | undefined;
  const close = (verdict: Omit<ReviewVerdict, 'reviewer' | 'cost'>): ReviewVerdict => ({
    reviewer: name,
    ...verdict,
    cost,
  });
  try {
    const { system, prompt } = reviewer.ask(input);
    let problem = '';
    for (let repeat = 0; repeat <= MAX_REPEATS; repeat++) {
      const answer = await judge.judge({ reviewer: name, tier, schema, signal, system, prompt: prompt + problem });
      cost = add(cost, answer);
      const parsed = schema.safeParse(answer.answer);
      if (parsed.success) {
        const { verdict, reason, findings } = parsed.data;
        const outcome = verdict === words.pass ? 'pass' : 'deny';
        return close({
          outcome,
          reason,
          decidedBy: 'model',
          findings: findings?.map((it) => ({ text: it.text, file: it.file, line: it.line })),
        });
      }
      problem = `\n\nYour last answer was not valid. Answer only with JSON: {"verdict": "${words.pass}" or "${words.deny}", "reason": "…"}.`;
    }
    const reason = `The model gave no valid verdict in ${MAX_REPEATS + 1} answers.`;
    return close({ outcome: 'deny', reason, decidedBy: 'unavailable' });
  } catch (error) {
    return close({
      outcome: 'deny',
      reason: `The model did not answer: ${messageOf(error)}`,
      decidedBy: 'unavailable',
    });
  }
}

function add(sum: ReviewCost | undefined, { model, input, output, usd }: JudgeAnswer): ReviewCost {
  if (!sum) return { model, requests: 1, input, output, usd };
  return {
    model,
    requests: sum.requests + 1,
    input: sum.input + input,
    output: sum.output + output,
    usd: sum.usd === null || usd === null ? null : sum.usd + usd,
  };
}

/** A cache that fails costs a request, nothing else. */
async function read(cache: VerdictCache | undefined, key: string): Promise<ReviewVerdict | undefined> {
  try {
    return await cache?.get(key);
  } catch {
    return undefined;
  }
}

async function write(cache: VerdictCache | undefined, key: string, verdict: ReviewVerdict): Promise<void> {
  try {
    const { cost: _, ...kept } = verdict;
    await cache?.set(key, kept);
  } catch {
    // The next review asks the model again.
  }
}
