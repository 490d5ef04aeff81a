import { onAskSchema, partSchema, untrustedTextSchema } from '@klaus/core/protocol';
import { z } from 'zod';
import { defineRoute, type Method, type RouteFields } from './route.ts';

export const sessionParams = z.object({ id: z.string().describe('Session id or a prefix of it.') });

/** Declares a route of one session whose only parameter is the session. */
export function defineSessionRoute<const R extends Omit<RouteFields, 'params'>>(
  address: `${Method} /api/sessions/:id${string}`,
  fields: R,
) {
  return defineRoute('sessions', address, { params: sessionParams, ...fields });
}

export const ulid = z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

/** The fields of every body with a prompt. */
export const promptFields = {
  command: ulid.optional().describe('Id of the command, a ULID. A retry with the same id has no further effect.'),
  waitForModelMs: z
    .number()
    .min(0)
    .max(604_800_000)
    .optional()
    .describe('Milliseconds for which the run waits during an outage of the model. Default: as configured.'),
  text: z.string().optional().describe('A text longer than `maxPromptChars` is attached as a file.'),
  parts: z.array(partSchema).optional().describe('Text, images and files; they follow `text`.'),
  pin: z.boolean().optional().describe('Pins the text in the context.'),
  untrusted: untrustedTextSchema.optional().describe('Present if it contains a text of others.'),
  onAsk: onAskSchema.optional().describe('Default `wait`.'),
};

/** The query of every route of a workspace. */
export const workspaceQuery = {
  session: z.string().optional().describe('The workspace of this session.'),
  workspace: z.string().optional().describe('A known workspace. Default: the configured one.'),
};
