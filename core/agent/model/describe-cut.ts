import { formatCount } from '../../protocol/format-count.ts';
import { RAISED_OUTPUT } from '../budget/forecast.ts';
import type { CutCall } from '../state/cut-call.ts';

const IN_PARTS =
  'Write long content in parts: create the file with the first part, then append each further part with an edit.';

/** For the model: why its last call was not run, and what to do. */
export function describeCut({ stopReason, tokens, raisesOutput }: CutCall): string {
  const after = tokens > 0 ? ` after ${formatCount(tokens)} tokens` : '';
  const why = stopReason === 'max_tokens' ? 'by the output limit' : 'because the context window was full';
  const raised = raisesOutput
    ? ` Your next answers may be up to ${RAISED_OUTPUT} times as long, if the model and the budget allow it.`
    : '';
  return `Your answer was cut off${after} within this call, ${why}, so the call was not run.${raised} ${IN_PARTS}`;
}
