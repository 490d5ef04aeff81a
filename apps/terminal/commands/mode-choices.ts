import type { Mode } from '@klaus/sdk';
import type { Choice } from '../dialogs/choice-dialog.ts';

export const modeChoices: readonly Choice<Mode>[] = [
  { value: 'plan', label: 'plan', detail: 'reads only' },
  { value: 'ask', label: 'ask', detail: 'everything except reading needs an approval' },
  { value: 'edits', label: 'edits', detail: 'edits here need no approval, everything else does' },
  {
    value: 'auto',
    label: 'auto',
    detail: 'edits and sandboxed commands run unasked',
  },
];

/** What a mode means, for a user who sees it for the first time. */
export function explainMode(mode: string): string {
  const detail = modeChoices.find(({ value }) => value === mode)?.detail ?? '';
  return `Mode ${mode}: ${detail}. Shift-Tab changes it.`;
}
