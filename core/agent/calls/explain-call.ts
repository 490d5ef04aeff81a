import { explainAccess, type AccessExplanation } from '../../policy/index.ts';
import { EVENT_VERSION, FIRST_PREV, toCalled, type Decision, type Grant, type Mode } from '../../protocol/index.ts';
import type { Engine } from '../loop/engine.ts';
import { fold } from '../state/fold.ts';
import { judgeCall } from './judge-call.ts';
import type { Intent } from '../ports/tool.ts';
import { openedOf, type State } from '../state/state.ts';
import { createToolContext } from './tool-context.ts';
import { createWork } from '../loop/create-work.ts';
import type { Work } from '../loop/work.ts';

/** The decision of the gate about a hypothetical call, with the relevant parts of the grant. */
export interface ExplainedDecision {
  name: string;
  input: unknown;
  /** The call in one line; its name if the tool could not prepare it. */
  title: string;
  grant: Grant;
  mode: Mode;
  decision: Decision;
  /** The access that the call needs; only the tool itself if it could not be prepared. */
  access: AccessExplanation[];
}

const RUN = {
  type: 'run.started',
  run: 'explain',
  trigger: 'prompt',
  onAsk: 'wait',
  v: EVENT_VERSION,
  prev: FIRST_PREV,
} as const;

/**
 * Prepares a call with its real tool, and asks the gate. Runs nothing, except with `runsHooks`: the hooks before
 * the call. `state` may be that of a new session.
 */
export async function explainCall(
  engine: Engine,
  state: State,
  { runsHooks = false, ...given }: { name: string; input: unknown; runsHooks?: boolean },
): Promise<ExplainedDecision> {
  const { name, input } = toCalled(given);
  const { session } = openedOf(state);
  // Explains the decision for a run with an approver.
  if (!state.run) fold(state, { ...RUN, session, at: engine.clock.now(), seq: state.seq + 1 });
  const { reviews: _, hooks, ...others } = engine.settings;
  const settings = runsHooks && hooks ? { ...others, hooks } : others;
  const work = createWork({
    // The gate is explained, not the reviewers, which cost money.
    engine: { ...engine, settings },
    hasNewHome: true,
    session,
    // Not a real lease: the store refuses to append with it.
    lease: { session, fence: -1, release: async () => {} },
    state,
  });
  await work.authority.learn();
  const call = { id: 'explain', index: 0, name, input, redacted: false };
  const { decided } = await judgeCall(work, call);
  const { verdict, rule, reason, findings } = decided;
  const intent = await findIntent(work, name, input);
  const effects = engine.tools.find(name)?.effects ?? [];
  const needed = intent?.creates === false ? effects.filter((effect) => effect !== 'spawn') : effects;
  const facts = { name, effects: needed, access: intent?.access ?? [] };
  return {
    name,
    input,
    title: intent?.title ?? name,
    grant: work.authority.grant(),
    mode: work.authority.mode(),
    decision: { verdict, rule, reason, findings },
    access: explainAccess(work.authority.grant(), facts, engine.clock.now()),
  };
}

async function findIntent(work: Work, name: string, input: unknown): Promise<Intent | undefined> {
  const tool = work.engine.tools.find(name);
  try {
    const parsed = tool?.input.safeParse(input);
    return parsed?.success ? await tool?.prepare?.(parsed.data, await createToolContext(work, 'explain')) : undefined;
  } catch {
    return undefined;
  }
}
