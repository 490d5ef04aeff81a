import {
  isKlausError,
  NO_USAGE,
  type EventBody,
  type KlausError,
  type Message,
  type Part,
} from '../../protocol/index.ts';
import { cutOutput } from '../calls/cut-output.ts';
import { prestartProgram } from '../calls/prestart.ts';
import { toTranscript } from '../context/transcript.ts';
import { answerOpenCalls } from '../loop/closing-events.ts';
import { finishRun } from '../loop/finish.ts';
import type { AgentDriver, Work } from '../loop/work.ts';
import type { RunnerEnd, RunnerSession } from '../ports/runner.ts';
import { openedOf, runOf, type State } from '../state/state.ts';
import { snapshotAfter, snapshotWorkspace } from '../workspace/snapshot-workspace.ts';
import { openAgentChild } from './agent-child.ts';
import { AgentHost } from './agent-host.ts';
import { toAgentMessage } from './agent-text.ts';
import { toImported } from './imported.ts';
import { toRunnerRequest } from './runner-request.ts';
import { isUnsent } from './unsent.ts';

/** Characters of the earlier conversation that a new session of the agent gets. */
const MAX_TRANSCRIPT = 60_000;

const INTERRUPTED =
  'Your last turn was interrupted, and some of its actions may have taken effect. Check the present state, then continue with this task:';

/** Starts the process of the agent at the first turn, and keeps it for later ones. */
export function createAgentDriver(): AgentDriver {
  const agent: Agent = { host: new AgentHost(openAgentChild) };
  return { performTurn: (work) => performTurn(work, agent), close: () => closeAgent(agent) };
}

interface Agent {
  readonly host: AgentHost;
  session?: RunnerSession;
  /** The limit in dollars with which the process was started. */
  usdLimit?: number;
}

async function closeAgent(agent: Agent): Promise<void> {
  const { session } = agent;
  agent.session = undefined;
  await session?.close();
}

async function performTurn(work: Work, agent: Agent): Promise<void> {
  const { state, engine } = work;
  const run = runOf(state).id;
  const turn = state.turn + 1;
  const earlier = state.messages.slice(0, state.prompted);
  const parts = toNewParts(state);
  const requestHash = engine.ids.digest(JSON.stringify(parts));
  const { model, runner } = openedOf(state);
  // The requests of a wrapped program are reserved one by one.
  const reserved = { tokens: 0, usd: runner!.name === 'wrap' ? 0 : null };
  await work.append([{ type: 'turn.started', run, turn, model, requestHash, reserved }]);
  const refused = await engine.admit?.(work.session, reserved);
  if (refused) {
    const nothing = { usage: NO_USAGE, usd: 0, outcome: refused.code, message: refused.message };
    await work.append([
      { type: 'model.attempted', run, purpose: 'turn', turn, model, attempt: 1, ...nothing },
      { type: 'turn.finished', run, turn, stopReason: 'cancelled' },
    ]);
    return finishRun(work, { outcome: 'limit', reason: refused.message });
  }
  const opened = await engine.openRunner(runner!.name);
  if (opened.startsWith !== undefined) prestartProgram(work, opened.startsWith);
  // Also before the agent acts by itself, so that the turn can be undone.
  const before = await snapshotWorkspace(work);
  if (!before) return;
  if (before.length > 0) await work.append(before);
  const { host } = agent;
  // The process knows only the limit with which it was started.
  if (agent.usdLimit !== state.limits.usd) await closeAgent(agent);
  agent.usdLimit = state.limits.usd;
  const signal = host.begin(work);
  let end: RunnerEnd | undefined;
  let failure: KlausError | undefined;
  // The caller that leaves does not wait for the agent.
  work.stop.addEventListener('abort', () => void (work.isLeaving() && closeAgent(agent)), { once: true });
  try {
    const isNew = agent.session === undefined;
    const session = (agent.session ??= await open(work, { host, signal }));
    const context = isNew && !session.isResumed ? toContext(state, earlier) : [];
    if (isNew) await recordOpening(work, session);
    if (!signal.aborted)
      end = await session.prompt([...context, ...parts], { turn, mode: work.authority.mode(), signal });
  } catch (error) {
    await closeAgent(agent);
    if (!isKlausError(error)) {
      await host.end();
      throw error;
    }
    failure = error;
  }
  const keepsCosts = agent.session?.keepsCosts === true;
  const isStopped = signal.aborted || end === undefined;
  if (isStopped) await closeAgent(agent);
  const rest = await host.end();
  if (work.isLeaving()) return;
  const why = failure ? 'the agent failed' : isStopped ? 'the turn was stopped' : 'the agent ended its turn';
  const { usage = NO_USAGE, usd = keepsCosts ? 0 : null, stopReason = 'cancelled' } = end ?? {};
  const attempt = { run, purpose: 'turn' as const, turn, model, attempt: 1, usage, usd };
  await work.append([
    ...answerOpenCalls(state, why),
    ...toAgentMessage(work, rest),
    { type: 'model.attempted', ...attempt, outcome: end ? 'ok' : 'cancelled' },
    { type: 'turn.finished', run, turn, stopReason: isStopped ? 'cancelled' : stopReason },
    ...(end && !end.usage ? toUncounted(work) : []),
  ]);
  if (!failure || work.stop.aborted) return;
  await snapshotAfter(work);
  const { code, message, hint = 'Continue with klaus resume.' } = failure;
  await finishRun(work, { outcome: 'failed', reason: message, error: { code, hint } });
}

async function open(work: Work, { host, signal }: { host: AgentHost; signal: AbortSignal }): Promise<RunnerSession> {
  const { name } = openedOf(work.state).runner!;
  return (await work.engine.openRunner(name)).open(toRunnerRequest(work, signal), host);
}

/** Records the session of the agent, so that a later process continues it. */
async function recordOpening(work: Work, { id, agent, isResumed, history }: RunnerSession): Promise<void> {
  const { state } = work;
  const run = runOf(state).id;
  const { name } = openedOf(state).runner!;
  const lost = state.agentSession !== undefined && !isResumed;
  const text = `${agent} does not have its earlier session any more: it gets the conversation as text.`;
  await work.append([
    { type: 'runner.opened', run, runner: name, agent, agentSession: id, resumed: isResumed },
    ...(lost ? [{ type: 'notice' as const, run, level: 'warn' as const, text }] : []),
    ...toImported(work, run, history ?? []),
  ]);
}

/** The messages that the agent does not have, or the last prompt again after an interrupted turn. */
function toNewParts(state: State): Part[] {
  const unsent = state.messages.slice(state.prompted).filter(isUnsent);
  const parts = unsent.flatMap((message) => message.parts);
  if (!runOf(state).interrupted) return parts;
  const last = state.messages
    .slice(0, state.prompted)
    .findLast(({ origin }) => origin === 'user' || origin === 'steer');
  return [{ type: 'text', text: INTERRUPTED }, ...(last?.parts ?? []), ...parts];
}

/** What a new session of the agent gets first: its instructions, and the earlier conversation. */
function toContext(state: State, earlier: readonly Message[]): Part[] {
  const { system } = openedOf(state);
  const parts: Part[] = system === '' ? [] : [{ type: 'text', text: `Instructions:\n${system}` }];
  const said = earlier.filter(({ origin }) => origin !== 'context');
  if (said.length === 0) return parts;
  const text = cutOutput(toTranscript(said, 2_000), MAX_TRANSCRIPT);
  return [...parts, { type: 'text', text: `The conversation until now, for your information:\n${text}` }];
}

/** A limit in tokens has no effect if the agent does not report them. */
function toUncounted({ state }: Work): EventBody[] {
  if (state.limits.tokens === 0 || state.spent.turns > 1) return [];
  const text =
    'The agent reports neither tokens nor costs, so that they are not counted or limited. Turns and tool calls are.';
  return [{ type: 'notice', run: runOf(state).id, level: 'warn', text }];
}
