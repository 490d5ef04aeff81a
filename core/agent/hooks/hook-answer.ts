import { headOf } from '../../protocol/index.ts';
import { z } from 'zod';

/** What a hook said. */
export interface HookAnswer {
  /** `none` is also the answer of a hook that allows: it changes nothing. */
  decision: 'deny' | 'ask' | 'none';
  /** For `deny` and `ask`. */
  reason: string;
  /** Text for the model. */
  context: string;
}

/** What ended a hook: a program with its exit code, or an URL with its status. */
export type HookEnd = { exitCode: number | null; stdout: string; stderr: string } | { status: number; text: string };

const answerSchema = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  decision: z.enum(['approve', 'allow', 'block', 'deny', 'ask']).optional(),
  reason: z.string().optional(),
  systemMessage: z.string().optional(),
  hookSpecificOutput: z
    .looseObject({
      permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
      permissionDecisionReason: z.string().optional(),
      additionalContext: z.string().optional(),
      updatedInput: z.unknown().optional(),
    })
    .optional(),
});

/** Exit code of a program that blocks; its reason is on standard error. */
const BLOCKS = 2;
const NO_REASON = 'it gave no reason';

/**
 * Reads the answer of a hook, in the shapes of Claude Code. Empty output and text are no decision.
 *
 * @returns `failure`: why there is no answer, such as another exit code or an object that cannot be read.
 */
export function readHookAnswer(end: HookEnd): HookAnswer | { failure: string } {
  if ('status' in end) {
    if (end.status < 200 || end.status > 299) return { failure: `it answered with status ${end.status}` };
    return readText(end.text);
  }
  if (end.exitCode === BLOCKS) return { decision: 'deny', reason: end.stderr.trim() || NO_REASON, context: '' };
  if (end.exitCode !== 0) {
    const why = end.stderr.trim();
    const ended = end.exitCode === null ? 'it was killed' : `exit code ${end.exitCode}`;
    return { failure: why === '' ? ended : `${ended}: ${headOf(why, 500)}` };
  }
  return readText(end.stdout);
}

function readText(text: string): HookAnswer | { failure: string } {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{')) return { decision: 'none', reason: '', context: trimmed };
  let json: unknown;
  try {
    json = JSON.parse(trimmed);
  } catch {
    return { failure: 'its output begins like JSON and is none' };
  }
  const parsed = answerSchema.safeParse(json);
  if (!parsed.success) return { failure: `its answer has an invalid ${parsed.error.issues[0]!.path.join('.')}` };
  const { decision, reason, hookSpecificOutput: own = {}, ...rest } = parsed.data;
  const context = own.additionalContext ?? '';
  const why = (own.permissionDecisionReason ?? reason ?? rest.stopReason ?? '').trim() || NO_REASON;
  const said = own.permissionDecision ?? decision;
  if (rest.continue === false || said === 'deny' || said === 'block') return { decision: 'deny', reason: why, context };
  // The call would run with another input than the hook wants.
  if (own.updatedInput !== undefined)
    return { decision: 'deny', reason: 'it changes the input of the call, which hooks cannot', context };
  if (said === 'ask' || said === 'defer') return { decision: 'ask', reason: why, context };
  return { decision: 'none', reason: '', context };
}
