import { z } from 'zod';
import { modeSchema, onAskSchema } from '../authority/mode.ts';
import { narrowerMode, only } from './narrowing.ts';
import { defineSetting } from './setting.ts';

/** Settings of what runs without an approval, and of what can be undone after it. */
export const APPROVAL_SETTINGS = {
  approve: defineSetting({
    schema: modeSchema,
    default: 'auto',
    env: 'KLAUS_APPROVE',
    description:
      '`plan`: read only. `ask`: everything but reading asks. `edits`: edits in the workspace pass. `auto`: what grant and sandbox allow passes, anything wider asks.',
    project: narrowerMode,
  }),
  requirePatchApproval: defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'AGENT_REQUIRE_PATCH_APPROVAL',
    description: 'Every change of a file asks, whatever the mode.',
    project: only(true),
  }),
  isolate: defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_ISOLATE',
    description: 'Commands work on a layer; what they changed is reviewed hunk by hunk before it is kept.',
    project: only(true),
  }),
  'undo.enabled': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'KLAUS_UNDO',
    description: 'The workspace is kept as it was before the first effect of each turn, so that it can be taken back.',
    project: 'never',
  }),
  'undo.keepDays': defineSetting({
    schema: z.number().min(0),
    default: 30,
    env: 'KLAUS_UNDO_KEEP_DAYS',
    description: 'Days for which `klaus db gc` leaves what undo needs. Sessions that were deleted keep nothing.',
    project: 'never',
  }),
  onAsk: defineSetting({
    schema: onAskSchema,
    env: 'KLAUS_ON_ASK',
    unset: 'ask in a terminal, otherwise deny',
    description:
      'What becomes of a question when nobody is there: `deny` refuses it, `wait` parks the run until somebody answers.',
    project: only('deny'),
  }),
} as const;
