import type { Mode } from '@klaus/sdk';
import type { Choice } from '../dialogs/choice-dialog.ts';

export const modeChoices: readonly Choice<Mode>[] = [
  { value: 'plan', label: 'plan', detail: 'reads only' },
  { value: 'ask', label: 'ask', detail: 'everything except reading needs an approval' },
  { value: 'edits', label: 'edits', detail: 'edits in the workspace need none, everything else does' },
  { value: 'auto', label: 'auto', detail: 'everything that the grant and the sandbox allow needs none' },
];
