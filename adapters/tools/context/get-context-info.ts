import type { ContextInfo } from '@klaus/core/agent';
import { LIMIT_NAMES, type LimitName } from '@klaus/core/protocol';
import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';

/** Reports the use of the context window and of the limits. It reaches nothing outside of the session. */
export const getContextInfo = defineBuiltinTool({
  name: 'get_context_info',
  description: 'Get how much of the context window and the budget is used and left.',
  input: z.object({}),
  deferred: true,
  effects: [],
  resume: 'repeat',
  example: {
    input: {},
    output: /^context window: [\d,]+ of [\d,]+ tokens used \(\d+ %\)\ntokens: [^]*\nturns: 1 used/,
  },
  async run(_, context) {
    const info = await context.contextInfo();
    return { text: describe(info), detail: info };
  },
});

const LABELS: Readonly<Record<LimitName, string>> = {
  tokens: 'tokens',
  usd: 'US dollars',
  toolCalls: 'tool calls',
  turns: 'turns',
  minutes: 'minutes',
};

function describe({ used, window, limits }: ContextInfo): string {
  const percent = Math.round((used / window) * 100);
  const rows = LIMIT_NAMES.map((name) => {
    const { used: spent, cap, left } = limits[name];
    const show = (value: number | null): string => toText(name, value);
    return `${LABELS[name]}: ${show(spent)} used, ${cap === 0 ? 'no limit' : `${show(left)} left of ${show(cap)}`}`;
  });
  return [
    `context window: ${toText('tokens', used)} of ${toText('tokens', window)} tokens used (${percent} %)`,
    ...rows,
  ].join('\n');
}

function toText(name: LimitName, value: number | null): string {
  if (value === null) return 'unknown';
  return name === 'usd' ? value.toFixed(4) : Math.round(value).toLocaleString('en-US');
}
