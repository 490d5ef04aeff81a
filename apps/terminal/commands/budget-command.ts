import { limitsOf } from '@klaus/sdk/conversation';
import { formatAmount } from '@klaus/sdk/transcript';
import type { App } from '../app/app.ts';
import type { TerminalCommand } from './command.ts';

type LimitName = ReturnType<typeof limitsOf>[number]['limit'];

/** The words for a limit, the first as it is shown. */
const WORDS: Readonly<Record<LimitName, readonly string[]>> = {
  usd: ['usd', 'dollars', 'money'],
  toolCalls: ['calls', 'toolcalls'],
  tokens: ['tokens'],
  turns: ['turns'],
  minutes: ['minutes', 'time'],
};
const NAMES = { usd: 'Money', toolCalls: 'Tool calls', tokens: 'Tokens', turns: 'Turns', minutes: 'Minutes' } as const;
const LIMITS = Object.keys(WORDS) as LimitName[];

const USAGE = `\`/budget\` shows the limits. \`/budget 5\` sets $5, \`/budget calls 100\`, \`/budget tokens 500k\`, \`/budget turns 20\` and \`/budget minutes 90\` set the others; \`off\` instead of a number removes one, \`/budget off\` all.`;

/** `200`, `1,000`, `500k`, `2M`, `$5`; `off` is 0. Undefined: none of them. */
function toCap(text: string): number | undefined {
  if (/^(?:off|none)$/i.test(text)) return 0;
  const [, digits, unit = ''] = /^\$?(\d[\d,]*(?:\.\d+)?)([km]?)$/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits.replaceAll(',', '')) * (unit === '' ? 1 : unit.toLowerCase() === 'k' ? 1_000 : 1_000_000);
}

/** The caps that `argument` sets. @throws if it is none of the forms in {@link USAGE}. */
function toCaps(argument: string): Partial<Record<LimitName, number>> {
  const words = argument.split(/\s+/);
  if (words.length === 1 && toCap(words[0]!) === 0 && !/^\$?0/.test(words[0]!))
    return Object.fromEntries(LIMITS.map((limit) => [limit, 0]));
  const [name, amount] = words.length === 1 ? ['usd', words[0]!] : [words[0]!.toLowerCase(), words.slice(1).join('')];
  const limit = LIMITS.find((each) => WORDS[each].includes(name));
  const cap = toCap(amount);
  if (limit === undefined || cap === undefined || (limit !== 'usd' && !Number.isInteger(cap)))
    throw new Error(`\`${argument}\` is not a limit. ${USAGE}`);
  return { [limit]: cap };
}

export const budgetCommand: TerminalCommand = {
  name: 'budget',
  argument: '[usd|calls|tokens|turns|minutes|off]',
  summary: 'show the limits of the session, or set one: /budget 5, /budget calls 100, /budget tokens off',
  async run(app, argument) {
    if (argument !== '') await app.link.change({ limits: toCaps(argument) });
    showLimits(app);
  },
};

function showLimits(app: App): void {
  const { limits: caps } = app.link;
  const limits = limitsOf(app.link.view.conversation).flatMap(({ limit, used }) => {
    const cap = caps[limit] ?? 0;
    return cap > 0 ? [{ limit, used, cap }] : [];
  });
  for (const { limit, used, cap } of limits) {
    const [amount, all] = [formatAmount(limit, used), formatAmount(limit, cap)];
    app.note(`${NAMES[limit]}: ${used > cap ? `${amount}, above the limit of ${all}` : `${amount} of ${all}`}`);
  }
  if (limits.length === 0) app.note(`No limit is set. ${USAGE}`);
  else if (limits.some(({ used, cap }) => used >= cap)) app.note('A limit is reached: the next run asks to raise it.');
}
