import type { Conversation } from '@klaus/sdk/conversation';
import { toLine } from '@klaus/sdk/printable';
import { truncateToWidth } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';

/** Items that are shown at once. */
const MAX_SHOWN = 6;

/** The checklist of the agent, around what is in progress; none when nothing is left of it. */
export function toTodoLines({ todoList }: Conversation, width: number, palette: Palette): string[] {
  const todos = todoList?.todos ?? [];
  if (todos.every(({ status }) => status === 'done')) return [];
  const current = Math.max(
    0,
    todos.findIndex(({ status }) => status !== 'done'),
  );
  const from = Math.max(0, Math.min(current - 1, todos.length - MAX_SHOWN));
  const shown = todos.slice(from, from + MAX_SHOWN);
  const done = todos.filter(({ status }) => status === 'done').length;
  const rows = shown.map(({ status, text }) => {
    const line = toLine(text, 400);
    if (status === 'done') return `${palette.good('✓')} ${palette.muted(line)}`;
    return status === 'in_progress' ? `${palette.accent('▸')} ${line}` : `${palette.muted('○')} ${palette.muted(line)}`;
  });
  return [
    '',
    palette.muted(`  ${done} of ${todos.length} done`),
    ...rows.map((row) => truncateToWidth(`  ${row}`, width, '…')),
  ];
}
