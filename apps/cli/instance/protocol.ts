import { z } from 'zod';

/** Actions of the socket protocol. */
export const ACTIONS = ['ping', 'status', 'start-agent', 'checkout', 'message', 'interrupt'] as const;
export type Action = (typeof ACTIONS)[number];

/** Every error code of the socket with its meaning. Other errors of Klaus are `E_` and their code: `E_STORE_BUSY`. */
export const SOCKET_ERRORS = {
  E_INVALID_JSON: 'The line is not a JSON object.',
  E_UNSUPPORTED_ACTION: 'There is no such action.',
  E_INVALID_PAYLOAD: 'The payload is missing, or a field of it has a wrong type or value.',
  E_REQUEST_TOO_LARGE: 'The line is longer than 1 MiB. The connection is closed.',
  E_AMBIGUOUS_INSTANCE: 'Several instances match `instanceId`.',
  E_INSTANCE_NOT_FOUND: 'No running instance of this project matches `instanceId`.',
  E_SESSION_NOT_FOUND: 'There is no such session, or several begin with this text.',
  E_SESSION_PROJECT_MISMATCH: 'The session works in another project.',
  E_SWITCH_TARGET_MISSING:
    'No session is given, and the current one has no parent; or Claude Code does not know the session.',
  E_HOOK_TIMEOUT: 'A session of Claude Code has not reported itself in time, or was ended before.',
  E_CHECKOUT_IN_PROGRESS: 'Another checkout of this instance has not ended.',
  E_AGENT_TYPE_INVALID: 'There is no agent of this name.',
  E_AGENT_TYPE_NOT_ALLOWED: 'The agent of the current session may not start this agent.',
  E_MAX_DEPTH_EXCEEDED: 'The session would have too many sessions above it.',
  E_AGENT_NOT_RUNNING: 'No run of this session is in progress.',
  E_WAIT_TIMEOUT: 'The run did not end in `waitSeconds`.',
  E_SHUTTING_DOWN: 'The instance is ending.',
} as const;

const session = z.string().min(1).describe('Id of a session, or its beginning.');
const waitSeconds = z.number().min(0).max(86_400);
/** Which instance is meant. Another one than the owner of the socket gets the request from it. */
const target = { instanceId: z.string().min(1).optional().describe('Id of another instance, or its beginning.') };

/** Payloads by action. Unknown fields are ignored. */
export const PAYLOADS = {
  ping: z.object(target),
  status: z.object({
    ...target,
    sessionId: session.optional().describe('Default: the sessions that this instance started, and the current one.'),
    waitSeconds: waitSeconds.optional().describe('Waits for the end of their runs. Default: does not wait.'),
  }),
  'start-agent': z.object({
    ...target,
    agentType: z.string().min(1).describe('Name of a defined agent, or `klaus`.'),
    prompt: z.string().min(1),
    agentCount: z.int().min(1).max(32).default(1).describe('Number of sessions, which get the same prompt.'),
    parentSessionId: session.optional().describe('Default: the current session.'),
    options: z
      .object({
        checkout: z.boolean().optional().describe('Makes the first new session the current one. Default false.'),
        mode: z.enum(['plan', 'ask', 'edits', 'auto']).optional().describe('Approval mode. Default: the setting.'),
        model: z.string().optional(),
      })
      .default({}),
  }),
  checkout: z.object({
    ...target,
    sessionId: session.optional().describe('Default: the parent of `fromSessionId`.'),
    fromSessionId: session.optional().describe('Default: the current session.'),
    waitSeconds: waitSeconds.optional().describe('Waits for the end of its run first. Default: does not wait.'),
  }),
  message: z.object({
    ...target,
    sessionId: session.optional().describe('Default: the current session.'),
    prompt: z.string().min(1),
    waitSeconds: waitSeconds.optional().describe('Waits for the end of the run. Default: does not wait.'),
  }),
  interrupt: z.object({
    ...target,
    sessionId: session.optional().describe('Default: the current session.'),
    signal: z.enum(['SIGINT', 'SIGTERM', 'SIGKILL']).default('SIGINT').describe('All of them cancel the run.'),
  }),
} as const satisfies Record<Action, z.ZodType>;

export type Payload<A extends Action> = z.output<(typeof PAYLOADS)[A]>;

/** What a session does, in the words of the protocol. */
export const sessionStatusSchema = z.enum(['active', 'running', 'waiting', 'done', 'failed', 'interrupted']);
export type SessionStatus = z.infer<typeof sessionStatusSchema>;

const sessionInfo = z.object({
  sessionId: z.string(),
  agentType: z.string().describe('`klaus` for the built-in agent.'),
  status: sessionStatusSchema.describe('`active`: no run yet. `waiting`: for an approval.'),
  parentSessionId: z.string().nullable(),
  logPath: z.string().nullable().describe('File with its runtime events; null if this instance writes none.'),
});
export type SessionInfo = z.infer<typeof sessionInfo>;

/** Results by action. */
export const RESULTS = {
  ping: z.object({ pong: z.literal(true), instanceId: z.string(), timestamp: z.string().describe('ISO 8601.') }),
  status: z.object({
    instanceId: z.string(),
    pid: z.int(),
    projectHash: z.string(),
    projectRoot: z.string(),
    socketPath: z.string(),
    startedAt: z.string().describe('ISO 8601.'),
    sessionId: z.string().nullable().describe('The current session.'),
    checkoutInProgress: z.boolean(),
    sessions: z.array(sessionInfo),
  }),
  'start-agent': sessionInfo.extend({
    instanceId: z.string(),
    sessions: z.array(sessionInfo).describe('All new sessions; the other fields are those of the first one.'),
  }),
  checkout: z.object({
    sessionId: z.string(),
    previousSessionId: z.string().nullable(),
    claudeSessionId: z.string().nullable().describe('Session id of the program that drives the agent, if one does.'),
  }),
  message: sessionInfo.extend({ response: z.string().nullable().describe('The answer, if it was waited for.') }),
  interrupt: sessionInfo.extend({ signal: z.string(), interrupted: z.literal(true) }),
} as const satisfies Record<Action, z.ZodType>;

export type Result<A extends Action> = z.input<(typeof RESULTS)[A]>;

export interface SocketRequest {
  action: Action;
  payload?: Record<string, unknown>;
}

export type SocketAnswer<A extends Action = Action> =
  | { ok: true; result: Result<A> }
  | { ok: false; error: { code: string; message: string } };

/** The handlers of a socket. */
export type Actions = { readonly [A in Action]: (payload: Payload<A>) => Promise<Result<A>> };
