import { headOf } from '@klaus/sdk/cut-text';
import { realpathSync } from 'node:fs';
import type { Klaus } from '@klaus/sdk';
import { messageOf } from '@klaus/sdk/message-of';
import { beginCheck, readFirstState } from './checks.ts';
import type { GuardOptions, HookContext } from './hook-context.ts';
import { createGuardedSession, foldGuarded, type GuardedSession } from './guarded-session.ts';
import { JudgeBudget } from './judge-budget.ts';
import { type HookAnswer, NO_OBJECTION, toPermission } from './hook-answer.ts';
import { type HookEvent, parseHookEvent } from './hook-event.ts';
import { afterToolUse } from './post-tool-use.ts';
import { beforeToolUse } from './pre-tool-use.ts';
import { judgeProject, toProjectHint } from './project/judge-project.ts';
import { atPrompt } from './user-prompt.ts';
import { atStop } from './stop.ts';

export interface Guard {
  /**
   * Answers one event. Never throws: what cannot be judged is denied.
   *
   * @param input The standard input of the hook.
   * @param project `CLAUDE_PROJECT_DIR`; default: the folder of the event.
   */
  handle(input: string, project?: string): Promise<HookAnswer>;
}

interface Known extends Pick<HookContext, 'session' | 'late' | 'begun' | 'memory'> {}

const MAX_TEXT = 500;
const MAX_PROMPT = 4_000;
/** Sessions that are kept in memory; others are folded again. */
const MAX_SESSIONS = 100;
/** Older events say nothing about a session that continues. */
const FOLD_MS = 86_400_000;

export function createGuard(options: GuardOptions): Guard {
  const known = new Map<string, Known>();
  /** The projects of sessions. */
  const roots = new Map<string, string>();
  const budget = new JudgeBudget(options.klaus, options.usdPerDay);
  const given: GuardOptions = {
    ...options,
    onDecision(event) {
      budget.add(event);
      options.onDecision?.(event);
    },
  };
  const accepted = new Set<string>();
  const find = async (root: string, id: string): Promise<Known> => {
    // A session can be resumed in another project.
    const key = `${id} ${root}`;
    const found = known.get(key) ?? {
      session: await foldSession(options.klaus, { root, id }),
      late: [],
      begun: new Map(),
      memory: {},
    };
    known.delete(key);
    known.set(key, found);
    if (known.size > MAX_SESSIONS) known.delete(known.keys().next().value!);
    return found;
  };
  return {
    async handle(input, project) {
      let event: HookEvent;
      try {
        event = parseHookEvent(input);
      } catch {
        return toPermission('deny', 'Klaus could not read the event of this hook, so the call is denied.');
      }
      try {
        // Without the variable, the folder of the event can be any that the session changed to.
        const root = realpathSync.native(project || roots.get(event.session_id) || event.cwd);
        if (roots.size > 10 * MAX_SESSIONS) roots.clear();
        roots.set(event.session_id, root);
        const found = await find(root, event.session_id);
        const judge = (await budget.isLeft()) ? options.judge : undefined;
        return await inTime(options.deadlineMs, (signal) =>
          answer({
            ...given,
            ...found,
            accepted,
            judge,
            event,
            root,
            signal,
            ...toRecorder(given, { event, root, ...found }),
          }),
        );
      } catch (error) {
        return toFailure(event, error);
      }
    },
  };
}

async function answer(context: HookContext): Promise<HookAnswer> {
  switch (context.event.hook_event_name) {
    case 'PreToolUse': {
      const [decided] = await Promise.all([beforeToolUse(context), beginCheck(context)]);
      return decided;
    }
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return afterToolUse(context);
    case 'Stop':
      return atStop(context);
    case 'UserPromptSubmit':
      return atPrompt(context);
    case 'SessionStart':
      return atStart(context);
    default:
      return NO_OBJECTION;
  }
}

/** Records the beginning of a session, and shows the user what the project starts unseen. Nothing can stop it there. */
async function atStart(context: HookContext): Promise<HookAnswer> {
  await context.observed('started', context.event.source ?? '', { state: await readFirstState(context) });
  const found = await judgeProject(context);
  if (found === undefined) return NO_OBJECTION;
  const { verdict, rule, reason, key } = found;
  const id = await context.decided({ text: context.root, verdict, rule, reason, key });
  return { systemMessage: `Klaus: ${reason}. ${toProjectHint(id)}` };
}

function toRecorder(
  { klaus, onDecision }: GuardOptions,
  { event, root, session }: { event: HookEvent; root: string; session: GuardedSession },
): Pick<HookContext, 'decided' | 'observed'> {
  const head = { workspace: root, guarded: event.session_id };
  return {
    async decided(decision) {
      const recorded = await klaus.recordGuard({
        type: 'guard.decided',
        ...head,
        event: event.hook_event_name,
        agent: event.agent_type,
        call: event.tool_use_id,
        tool: event.tool_name,
        ...decision,
        text: headOf(decision.text, MAX_TEXT),
      });
      foldGuarded(session, recorded);
      if (recorded.type === 'guard.decided') onDecision?.(recorded);
      return recorded.seq;
    },
    async observed(what, text, more = {}) {
      const shown = headOf(text, what === 'prompt' ? MAX_PROMPT : MAX_TEXT);
      foldGuarded(session, await klaus.recordGuard({ type: 'guard.observed', ...head, what, text: shown, ...more }));
    },
  };
}

async function foldSession(
  { store }: Pick<Klaus, 'store'>,
  { root, id }: { root: string; id: string },
): Promise<GuardedSession> {
  const session = createGuardedSession(Date.now());
  for await (const event of store.hostEvents({ subject: root, since: Date.now() - FOLD_MS }))
    if ('guarded' in event && event.guarded === id) foldGuarded(session, event);
  return session;
}

async function inTime<T>(ms: number, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`it took longer than ${ms} ms`);
      controller.abort(error);
      reject(error);
    }, ms);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A failure denies a call. After it has run, and at the end of a turn, there is nothing to deny. */
function toFailure({ hook_event_name: name }: HookEvent, error: unknown): HookAnswer {
  const reason = messageOf(error);
  const message = `The guard of Klaus failed: ${reason}`;
  if (name === 'PreToolUse') return toPermission('deny', `${message}. Until it works, calls are denied.`);
  return { systemMessage: message };
}
