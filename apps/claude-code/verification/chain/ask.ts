import { toText, type Session } from '@klaus/sdk';
import type { z } from 'zod';
import { runToEnd, type Chain } from './chain.ts';
import { StageFailure } from './failure.ts';
import type { Stage } from './result.ts';

/** Answers that are asked for again. */
const MAX_REPEATS = 2;

export interface AskOptions<T> {
  stage: Stage;
  model: string;
  /** The authority of the session. */
  grant: readonly string[];
  prompt: string;
  schema: z.ZodType<T>;
  /** Mistakes that the schema does not find. */
  check?: (value: T) => readonly string[];
  usd: number;
  turns: number;
  title: string;
}

/**
 * Asks a model in a session of its own, until its answer is valid JSON. The session is in the log, and its cost is
 * limited.
 *
 * @throws StageFailure `STAGE.invalid` after three invalid answers, `limit`, `model.failed`, `cancelled`.
 * @throws KlausError `auth` without a key, and others of `klaus.open`.
 */
export async function ask<T>(chain: Chain, options: AskOptions<T>): Promise<{ value: T; session: string }> {
  const { klaus, folder } = chain;
  const { model, grant, usd, turns, schema } = options;
  const limits = klaus.configuration.get('limits.usd');
  const session = await klaus.open({
    workspace: folder,
    model,
    mode: 'ask',
    isolate: false,
    checkpoint: 'manual',
    grant,
    limits: { turns, usd: limits === 0 ? usd : usd === 0 ? limits : Math.min(limits, usd) },
  });
  await session.send({ type: 'change', title: options.title });
  let prompt = options.prompt;
  let seen = 0;
  let mistakes: readonly string[] = [];
  for (let repeat = 0; repeat <= MAX_REPEATS; repeat++) {
    const answered = await answer(chain, session, { stage: options.stage, prompt, after: seen });
    seen = answered.seen;
    const read = readAnswer(answered.text, schema);
    mistakes = 'mistakes' in read ? read.mistakes : (options.check?.(read.value) ?? []);
    if ('value' in read && mistakes.length === 0) return { value: read.value, session: session.id };
    prompt = `Your answer is not valid:\n${mistakes.map((mistake) => `- ${mistake}`).join('\n')}\nAnswer again, with the corrected JSON value and nothing else.`;
  }
  throw new StageFailure(
    { stage: options.stage, code: `${options.stage}.invalid` },
    `The model gave no valid answer: ${mistakes.join('; ')}.`,
    {
      hint: `klaus show ${session.id} shows its answers.`,
    },
  );
}

async function answer(
  { klaus, signal }: Chain,
  session: Session,
  { stage, prompt, after }: { stage: Stage; prompt: string; after: number },
): Promise<{ text: string; seen: number }> {
  await session.prompt(prompt, { onAsk: 'deny' });
  const { finished, seen } = await runToEnd(klaus, session, { signal, after });
  if (signal.aborted) throw new StageFailure({ stage, code: 'cancelled' }, 'The client cancelled the request.');
  if (finished?.outcome !== 'done') {
    const isNamed = finished?.outcome === 'limit' || finished?.outcome === 'denied';
    const code = isNamed ? finished.outcome : (finished?.error?.code ?? 'model.failed');
    throw new StageFailure({ stage, code }, finished?.reason ?? 'The review did not end.', {
      hint: `klaus show ${session.id} shows what happened.`,
    });
  }
  let text = '';
  for await (const event of session.events(after)) {
    if (event.type === 'message.added' && event.message.origin === 'model') text = toText(event.message);
  }
  return { text, seen };
}

/** Reads the last JSON object of an answer. */
function readAnswer<T>(text: string, schema: z.ZodType<T>): { value: T } | { mistakes: readonly string[] } {
  const fenced = [...text.matchAll(/```(?:json)?\s*\n([\s\S]*?)\n\s*```/g)].map(([, body]) => body!);
  const braces = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  for (const candidate of [text, ...fenced.toReversed(), braces]) {
    let json: unknown;
    try {
      json = JSON.parse(candidate);
    } catch {
      continue;
    }
    const parsed = schema.safeParse(json);
    if (parsed.success) return { value: parsed.data };
    return { mistakes: parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'answer'}: ${message}`) };
  }
  return { mistakes: ['the answer is not JSON'] };
}
