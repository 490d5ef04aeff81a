import { KlausError, NO_USAGE, toText, type EventBody, headOf } from '../../protocol/index.ts';
import type { Engine } from '../loop/engine.ts';
import { withSession } from '../loop/with-session.ts';
import type { Work } from '../loop/work.ts';
import type { RunnerAttended, RunnerTerminal } from '../ports/runner.ts';
import { openedOf } from '../state/state.ts';
import { runAgentProcess } from './agent-process.ts';
import { toImported } from './imported.ts';
import { toRunnerRequest } from './runner-request.ts';

export interface AttendOptions extends Omit<RunnerTerminal, 'exec'> {
  /** Aborted: the program is killed. */
  signal: AbortSignal;
  /** Variables that describe the terminal. */
  env: Readonly<Record<string, string>>;
  /** Those that the program gets in addition if it does not run in a sandbox. */
  hostEnv: Readonly<Record<string, string>>;
}

/** Maximum characters of a title that is taken from the first prompt. */
const MAX_TITLE = 80;

/**
 * Runs the interactive program of a session in the terminal of this process until it exits. Nothing else can work on the
 * session during this time. What was said in the program is imported into the log at the end.
 *
 * @returns Undefined while a live process holds the session.
 * @throws KlausError `usage` if the session has no such program, or its run was interrupted.
 */
export async function attend(
  engine: Engine,
  session: string,
  options: AttendOptions,
): Promise<RunnerAttended | undefined> {
  const { signal, onLink, hostEnv, env } = options;
  return await withSession(engine, { session, stop: signal }, async (work) => {
    const { runner, sandbox } = openedOf(work.state);
    const program = runner && (await engine.openRunner(runner.name));
    if (program?.attend === undefined) {
      throw new KlausError('usage', `Session ${session} has no program for a terminal.`, {
        hint: `\`klaus attach ${session}\` opens it in the terminal of Klaus.`,
      });
    }
    if (work.state.run) {
      throw new KlausError('usage', `The run of session ${session} was interrupted.`, {
        hint: `Continue it with \`klaus resume ${session}\`, or end it with \`klaus interrupt ${session}\`.`,
      });
    }
    let agent: string = program.name;
    const ended = await program.attend(toRunnerRequest(work, signal), {
      ...options,
      env: sandbox === 'host' ? { ...hostEnv, ...env } : env,
      exec: (request) => runAgentProcess(work, request, { inherits: request.stdin === undefined }),
      async onLink(link) {
        if (!(await onLink(link))) return false;
        ({ agent } = link);
        await record(work, agent, { id: link.id, history: [] });
        return true;
      },
    });
    await work.learnSecrets();
    for (const known of ended.sessions) await record(work, agent, known);
    return ended;
  });
}

/** Records the session of the program and what was said in it, as a run without turns, unless both are known. */
async function record(work: Work, agent: string, { id, history }: RunnerAttended['sessions'][number]): Promise<void> {
  const { state, engine } = work;
  const { name } = openedOf(state).runner!;
  const run = engine.ids.ulid();
  const resumed = state.agentSession !== undefined;
  const imported = toImported(work, run, history);
  if (imported.length === 0 && state.agentSession === id) return;
  await work.append([
    { type: 'run.started', run, trigger: 'prompt', onAsk: 'wait' },
    { type: 'runner.opened', run, runner: name, agent, agentSession: id, resumed },
    ...imported,
    ...toTitle(work, imported),
    {
      ...{ type: 'run.finished', run, outcome: 'done', reason: 'The user worked in the terminal of the program.' },
      ...{ usage: NO_USAGE, usd: 0, turns: 0, toolCalls: 0, evidence: [] },
    },
  ]);
}

/** The first line of the first prompt, if the session has no title. */
function toTitle({ state }: Work, imported: readonly EventBody[]): EventBody[] {
  if (state.title !== undefined) return [];
  const first = imported.find((body) => body.type === 'message.added' && body.message.role === 'user');
  if (first?.type !== 'message.added') return [];
  const [line = ''] = toText(first.message).trim().split('\n');
  return line === '' ? [] : [{ type: 'session.changed', title: headOf(line, MAX_TITLE) }];
}
