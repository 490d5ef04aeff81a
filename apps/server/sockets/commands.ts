import { hunkAnswerSchema } from '@klaus/sdk';
import { z } from 'zod';
import type { Role } from '../contract/index.ts';
import type { Caller } from '../access/caller.ts';
import { toFolder } from '../access/limit-context.ts';
import { isPublicOnly } from '../access/check-network.ts';
import { checkSandbox } from '../access/check-sandbox.ts';
import type { Identity } from '../access/identity.ts';
import type { Context } from '../http/handler.ts';
import { answerQuestion } from '../handlers/approvals.ts';
import { findSession } from '../handlers/sessions.ts';
import { sendRequiredPrompt } from '../runs/send-prompt.ts';

const id = z.string().min(1).max(100);

/** The commands of the older protocol, by the name of the event. */
export const COMMAND_SCHEMAS = {
  prompt: z.object({
    message: z.string().min(1),
    sessionId: id.nullish(),
    model: z.string().nullish(),
    workspace: z.string().nullish(),
  }),
  cancel: z.object({ sessionId: id }),
  join_session: z.object({ sessionId: id, after: z.int().min(0).optional() }),
  leave_session: z.object({ sessionId: id }),
  patch_approval_response: z.object({
    patchId: id,
    approved: z.boolean(),
    note: z.string().optional(),
    hunks: hunkAnswerSchema.optional(),
  }),
} as const;

export type CommandName = keyof typeof COMMAND_SCHEMAS;

/** The least role that may send each. */
export const COMMAND_ROLES: Readonly<Record<CommandName, Role>> = {
  prompt: 'operator',
  cancel: 'operator',
  join_session: 'viewer',
  leave_session: 'viewer',
  patch_approval_response: 'operator',
};

export type CommandInput<N extends CommandName> = z.output<(typeof COMMAND_SCHEMAS)[N]>;

/** Opens or finds the session of a prompt, so that the client can subscribe before the prompt is sent. */
export async function findPromptSession(
  context: Context,
  { sessionId, model, workspace, identity }: CommandInput<'prompt'> & { identity: Identity },
): Promise<string> {
  const { klaus } = context;
  if (sessionId == null) {
    const folder = toFolder(context, workspace ?? undefined);
    const session = await klaus.open({
      model: model ?? undefined,
      workspace: folder,
      publicOnly: isPublicOnly(identity),
    });
    return session.id;
  }
  const { id: session } = await findSession(context, sessionId);
  await checkSandbox({ klaus }, identity, session);
  if (model != null) await klaus.handle(session).send({ type: 'change', model });
  return session;
}

export async function prompt({ klaus, queue }: Context, session: string, message: string): Promise<void> {
  await sendRequiredPrompt(klaus, klaus.handle(session), { text: message, delivery: 'steer' });
  await queue.add(session);
}

/** Who sent a command, for the log and for what it may do. */
export interface Sender {
  by: Caller;
  identity: Identity;
}

export async function answer(
  context: Context,
  { patchId, approved, note, hunks, ...from }: CommandInput<'patch_approval_response'> & Sender,
): Promise<void> {
  await answerQuestion(context, patchId, { answer: approved ? 'approved' : 'rejected', note, hunks, ...from });
}
