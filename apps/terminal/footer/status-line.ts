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

/** The items that the line above the input shows. */
const BORDER_ITEMS: ReadonlySet<StatusItem> = new Set(['agent', 'model', 'mode', 'context']);

/**
 * The items from left to right, as many as there is space for. The mode is always shown, and so is an agent other than
 * Klaus itself.
 *
 * @param options.hasBorder True: the line above the input shows mode, model, context and agent, and this one the others.
 */
export function toStatusLine(
  facts: StatusFacts,
  items: readonly StatusItem[],
  { width, palette, hasBorder = false }: { width: number; palette: Palette; hasBorder?: boolean },
): string {
  const shown = toShown(facts, items).filter((item) => !hasBorder || !BORDER_ITEMS.has(item));
  const parts = toParts(facts, shown, palette);
  const mode = parts.find(({ item }) => item === 'mode')?.text ?? '';
  const least = Math.min(width, visibleWidth(mode) + 2);
  const hint = facts.hint === '' ? '' : truncateToWidth(` ${facts.hint} `, width - least, '…');
  const space = width - visibleWidth(hint);
  const line = truncateToWidth(` ${toFitting(parts, space - 1, palette)}`, space, '…');
  return `${line}${' '.repeat(Math.max(0, space - visibleWidth(line)))}${hint}`.trimEnd();
}

/** What the line above the input shows, of at most `space` columns. The mode is complete, so the others have less space. */
export function toBorderText(
  facts: StatusFacts,
  items: readonly StatusItem[],
  { space, palette }: { space: number; palette: Palette },
): string {
  const shown = toShown(facts, items).filter((item) => BORDER_ITEMS.has(item));
  return toFitting(toParts(facts, shown, palette), space, palette);
}

function toShown({ agent }: StatusFacts, items: readonly StatusItem[]): StatusItem[] {
  return [...new Set<StatusItem>([...(agent === 'klaus' ? [] : (['agent'] as const)), ...items, 'mode'])];
}

interface StatusPart {
  item: StatusItem;
  text: string;
}

function toParts(facts: StatusFacts, items: readonly StatusItem[], palette: Palette): StatusPart[] {
  return items.flatMap((item) => {
    const text = ITEMS[item](facts, palette);
    return text === '' ? [] : [{ item, text }];
  });
}

/** As many parts as there is space for; the mode is one of them. */
function toFitting(parts: readonly StatusPart[], space: number, palette: Palette): string {
  const left = [...parts];
  const toText = (): string => left.map(({ text }) => text).join(palette.muted(' · '));
  while (visibleWidth(toText()) > space && left.length > 1) {
    left.splice(
      left.findLastIndex(({ item }) => item !== 'mode'),
      1,
    );
  }
  return toText();
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
