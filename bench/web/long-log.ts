import type { Draft } from '@klaus/core/agent';
import type { TestHome } from '../../test/fixtures/test-home.ts';
import { toOpening, toTurnDrafts, writeLog } from '../drafts.ts';

/** Messages of one exchange: a prompt, four answers that call a tool, their results, and a last answer. */
export const MESSAGES = 10;
const CALLS = 4;

/**
 * Writes what many prompts would have left in a session; each is ten messages and 35 events.
 *
 * @param from Prompts that the session holds already; 0 begins it.
 */
export async function addLongLog(
  place: TestHome,
  session: string,
  { from, count }: { from: number; count: number },
): Promise<void> {
  const opening = from === 0 ? toOpening(place.workspace).slice(0, 1) : [];
  const exchanges = Array.from({ length: count }, (_, at) => toExchange(from + at));
  await writeLog(place.home, session, [...opening, ...exchanges.flat()]);
}

/** What the last answer of an exchange says before everything else: the bench looks for it. */
export function toLastWords(exchange: number): string {
  return `Exchange ${exchange} ends here.`;
}

/** Events of one prompt and all that came of it. */
function toExchange(exchange: number): Draft[] {
  const run = `01KE00000000000000${String(exchange).padStart(5, '0')}RUN`;
  const first = exchange * (CALLS + 1) + 1;
  const turns = Array.from({ length: CALLS }, (_, at) => toTurnDrafts(first + at)).flat();
  const [started, attempted, , finished] = toTurnDrafts(first + CALLS) as [Draft, Draft, Draft, Draft];
  const { at } = started;
  const parts = [
    { type: 'text' as const, text: `Step ${exchange}: make the sum right, and show me how you checked it.` },
  ];
  const prompt = { id: `prompt-${exchange}`, role: 'user' as const, origin: 'user' as const, parts };
  const text = { type: 'text' as const, text: `${toLastWords(exchange)}\n\n${ANSWER}` };
  const answer = { id: `answer-${exchange}`, role: 'assistant' as const, origin: 'model' as const, parts: [text] };
  const drafts: Draft[] = [
    { type: 'run.started', run, trigger: 'prompt', onAsk: 'deny', at },
    { type: 'message.added', run, turn: first - 1, message: prompt, at },
    ...turns,
    started,
    attempted,
    { type: 'message.added', run, turn: first + CALLS, message: answer, at },
    { ...finished, stopReason: 'end_turn' } as Draft,
    toRunEnd(run, at),
  ];
  return drafts.map((draft) => ('run' in draft ? ({ ...draft, run } as Draft) : draft));
}

const ANSWER = `The sum is **made in two places**, and only one of them rounds:

- \`src/sum.ts\` adds first and rounds at the end,
- \`src/total.ts\` rounds each part, which loses up to a cent for each of them.

\`\`\`ts
export function sum(values: readonly number[]): number {
  // Rounded once: each rounding loses up to half a cent.
  return Math.round(values.reduce((all, value) => all + value, 0) * 100) / 100;
}
\`\`\`

| values | before | after |
|---|---:|---:|
| 0.1, 0.2 | 0.30 | 0.30 |
| 1.005, 1.005 | 2.00 | 2.01 |

The tests of both files pass. What is left: the same in the export, which I have *not* touched.
`;

function toRunEnd(run: string, at: number): Draft {
  return {
    type: 'run.finished',
    run,
    outcome: 'done',
    reason: 'The model has said its last word.',
    usage: { input: 0, output: 300, cacheRead: 60_000, cacheWrite: 1_500 },
    usd: 0.05,
    turns: CALLS + 1,
    toolCalls: CALLS,
    evidence: [],
    at,
  };
}
