import { z } from 'zod';
import { modeSchema, onAskSchema } from '../authority/mode.ts';
import { narrowerMode, only } from './narrowing.ts';
import { defineSetting } from './setting.ts';

const GIB = 1_024 ** 3;

export const APPROVAL_SETTINGS = {
  approve: defineSetting({
    schema: modeSchema,
    default: 'auto',
    env: 'KLAUS_APPROVE',
    description:
      '`plan`: read only. `ask`: everything except reading needs an approval. `edits`: edits in the workspace are also allowed. `auto`: everything that grant and sandbox allow is allowed; everything else needs an approval.',
    project: narrowerMode,
  }),
  requirePatchApproval: defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'AGENT_REQUIRE_PATCH_APPROVAL',
    description: 'Every change of a file needs an approval, in every mode.',
    project: only(true),
  }),
  isolate: defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_ISOLATE',
    description: 'Commands run on a layer. Their changes are reviewed by hunk before they are applied.',
    project: only(true),
  }),
  'undo.enabled': defineSetting({
    schema: z.boolean(),
    default: true,
    env: 'KLAUS_UNDO',
    description:
      'A snapshot of the workspace is stored before the first effect of each turn, so that the turn can be undone.',
  }),
  'undo.keepDays': defineSetting({
    schema: z.number().min(0),
    default: 30,
    env: 'KLAUS_UNDO_KEEP_DAYS',
    description:
      'Days for which `klaus db gc` keeps the snapshots that undo needs. Snapshots of deleted sessions are not kept.',
  }),
  'undo.cover': defineSetting({
    schema: z.enum(['sources', 'all']),
    default: 'sources',
    env: 'KLAUS_UNDO_COVER',
    description:
      'What undo restores. `sources`: all files except the content of folders that a tool marks as its own, such as `node_modules` and `target`; it names the command that rebuilds them. `all`: also these.',
  }),
  'undo.maxBytes': defineSetting({
    schema: z.number().min(0),
    default: 20 * GIB,
    env: 'KLAUS_UNDO_MAX_BYTES',
    description:
      'Bytes that the snapshots of one workspace may take. Beyond it, files over 16 MiB with new content are not stored, and undo does not restore them. 0: no limit.',
  }),
  'undo.maxTotalBytes': defineSetting({
    schema: z.number().min(0),
    default: 100 * GIB,
    env: 'KLAUS_UNDO_MAX_TOTAL_BYTES',
    description: 'The same for the snapshots of all workspaces. 0: no limit.',
  }),
  onAsk: defineSetting({
    schema: onAskSchema,
    env: 'KLAUS_ON_ASK',
    unset: 'ask in a terminal, otherwise deny',
    description:
      'What happens when an approval is needed and no user is connected: `deny` denies it, `wait` parks the run until it is answered.',
    project: only('deny'),
  }),
} as const;
