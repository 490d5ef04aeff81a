import { closestLimit, type Conversation } from '@klaus/sdk/conversation';
import { toLine } from '@klaus/sdk/printable';
import { describeUse, formatCost } from '@klaus/sdk/transcript';
import type { StatusItem } from '../preferences.ts';
import { truncateToWidth, visibleWidth } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';

export interface StatusFacts {
  conversation: Conversation;
  /** Of the session, or of the one that the next prompt opens. */
  model: string;
  mode: string;
  agent: string;
  /** Current branch of the workspace; undefined outside of git. */
  branch: string | undefined;
  folder: string;
  /** A message at the right end, such as `Press Ctrl-C again to leave`. */
  hint: string;
}

/** Share of a limit from which it is shown as a warning. */
const WARN = 0.8;

/**
 * The items from left to right, as many as there is space for. The mode is always shown, and so is an agent other than
 * Klaus itself.
 */
export function toStatusLine(
  facts: StatusFacts,
  items: readonly StatusItem[],
  { width, palette }: { width: number; palette: Palette },
): string {
  const shown = new Set<StatusItem>([...(facts.agent === 'klaus' ? [] : (['agent'] as const)), ...items, 'mode']);
  const parts = [...shown].flatMap((item) => {
    const text = ITEMS[item](facts, palette);
    return text === '' ? [] : [{ item, text }];
  });
  const mode = parts.find(({ item }) => item === 'mode')?.text ?? '';
  const least = Math.min(width, visibleWidth(mode) + 2);
  const hint = facts.hint === '' ? '' : truncateToWidth(` ${facts.hint} `, width - least, '…');
  const space = width - visibleWidth(hint);
  const toLeft = (): string => ` ${parts.map(({ text }) => text).join(palette.muted(' · '))}`;
  // The mode is complete, so the others have less space.
  while (visibleWidth(toLeft()) > space && parts.length > 1) {
    parts.splice(
      parts.findLastIndex(({ item }) => item !== 'mode'),
      1,
    );
  }
  const line = truncateToWidth(toLeft(), space, '…');
  return `${line}${' '.repeat(Math.max(0, space - visibleWidth(line)))}${hint}`.trimEnd();
}

const ITEMS: Readonly<Record<StatusItem, (facts: StatusFacts, palette: Palette) => string>> = {
  model: ({ model }, { muted }) => (model === '' ? '' : muted(toLine(model.split('/').at(-1)!, 40))),
  mode: ({ mode }, palette) => (mode === '' ? '' : `${palette.muted('mode ')}${MODES[mode]?.(palette)(mode) ?? mode}`),
  context: ({ conversation: { contextTokens, contextWindow } }, palette) => {
    if (contextWindow === 0 || contextTokens === 0) return '';
    const share = contextTokens / contextWindow;
    return (share >= WARN ? palette.warn : palette.muted)(`${Math.round(share * 100)} % context`);
  },
  cost: ({ conversation: { usd, held, turns } }, { muted }) => (turns === 0 ? '' : muted(formatCost(usd, held.usd))),
  budget: ({ conversation }, palette) => {
    const use = closestLimit(conversation);
    if (!use || use.used === 0) return '';
    const text = describeUse(use);
    if (use.share >= WARN) return palette.warn(text);
    return use.share >= 0.1 ? palette.muted(text) : '';
  },
  branch: ({ branch }, { muted }) => (branch === undefined ? '' : muted(toLine(branch, 40))),
  folder: ({ folder }, { muted }) => muted(toLine(folder, 60)),
  agent: ({ agent }, { muted }) => muted(toLine(agent, 40)),
  session: ({ conversation: { session } }, { muted }) => (session === '' ? '' : muted(session)),
};

const MODES: Readonly<Record<string, (palette: Palette) => (text: string) => string>> = {
  plan: ({ heading }) => heading,
  ask:
    ({ strong, good }) =>
    (text) =>
      strong(good(text)),
  edits: ({ title }) => title,
  auto: ({ warn }) => warn,
};
