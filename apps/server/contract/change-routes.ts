import { otherChangeSchema, treeChangeSchema } from '@klaus/core/protocol';
import { z } from 'zod';
import { defineRoute } from './route.ts';
import { defineSessionRoute, sessionParams } from './route-fields.ts';
import { decisionViewSchema, restoredSchema } from './shapes.ts';

const conflicts = z.enum(['refuse', 'keep', 'overwrite']).optional();

export const changeRoutes = {
  undo: defineSessionRoute('POST /api/sessions/:id/undo', {
    summary: 'Undoes the changes of the last prompt, of its last turn, or from a turn on.',
    body: z.object({
      turn: z.int().min(1).optional(),
      step: z.boolean().optional().describe('Only the last turn that changed files. Default false.'),
      git: z.boolean().optional().describe('Also Git data: HEAD, refs, index, stash, reflogs. Default false.'),
      dryRun: z.boolean().optional(),
      conflicts,
    }),
    answer: restoredSchema,
  }),
  redo: defineSessionRoute('POST /api/sessions/:id/redo', {
    summary: 'Applies the changes of the last undo again.',
    body: z.object({ dryRun: z.boolean().optional(), conflicts }),
    answer: restoredSchema,
  }),
  restoreFile: defineSessionRoute('POST /api/sessions/:id/restore', {
    summary: 'Restores one file or folder to its state before a turn. A redo reverts it.',
    body: z.object({
      path: z.string().min(1).describe('Relative to the workspace; absolute in a further folder.'),
      turn: z.int().min(1),
      after: z.boolean().optional().describe('To its state after the turn. Default false.'),
      dryRun: z.boolean().optional(),
      conflicts,
    }),
    answer: restoredSchema,
  }),
  changes: defineSessionRoute('GET /api/sessions/:id/changes', {
    summary: 'What a session changed in a turn, or in all turns, without changes that others made between them.',
    query: z.object({
      turn: z.coerce.number().int().min(1).optional().describe('Absent: all turns.'),
    }),
    answer: z.object({
      turn: z.int().nullable(),
      changes: z.array(treeChangeSchema),
      others: z.array(otherChangeSchema).describe('What others changed in these turns, or may have changed.'),
      diff: z.string(),
    }),
  }),
  decisions: defineSessionRoute('GET /api/sessions/:id/decisions', {
    summary: 'The decisions of the gate on each call.',
    query: z.object({ denied: z.stringbool().optional().describe('Only denials and approvals.') }),
    answer: z.object({ decisions: z.array(decisionViewSchema) }),
  }),
  callOutput: defineRoute('sessions', 'GET /api/sessions/:id/calls/:call/output', {
    summary: 'The complete output of a call, with secrets redacted.',
    kind: 'text',
    media: ['text/plain'],
    params: sessionParams.extend({ call: z.string() }),
    answer: z.string(),
  }),
  verify: defineSessionRoute('POST /api/sessions/:id/verify', {
    summary: 'Repeats the checks of the last run with checks, through the gate, and records the results.',
    body: z.object({ approve: z.boolean().optional().describe('Approves checks that need an approval.') }),
    answer: z.object({
      isChanged: z.boolean().describe('True if the workspace has changed since the recorded checks.'),
      checks: z.array(
        z.object({
          command: z.string(),
          result: z.enum(['passed', 'failed', 'denied', 'skipped']),
          reason: z.string().nullable(),
        }),
      ),
    }),
  }),
};
