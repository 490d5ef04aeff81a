import { allowsAccess } from '../../policy/index.ts';
import { KlausError, type Access, type CallPart, type EventBody } from '../../protocol/index.ts';
import { toolCallsLeft } from '../budget/limit-check.ts';
import { toAttempt, toFinished, toHead } from '../calls/call-events.ts';
import { cutOutput } from '../calls/cut-output.ts';
import type { ToolFinished } from '../calls/judged-call.ts';
import { planProgramChild } from '../children/plan-child.ts';
import { createToolContext } from '../calls/tool-context.ts';
import { anySignal } from '../loop/any-signal.ts';
import type { Work } from '../loop/work.ts';
import type {
  AgentCall,
  AgentProcess,
  AskAnswer,
  ProgramRequest,
  RunnerChild,
  RunnerHost,
  ToolUse,
} from '../ports/runner.ts';
import type { ExecResult } from '../ports/sandbox.ts';
import { isWaiting, openedOf, runOf, type CallState } from '../state/state.ts';
import { snapshotWorkspace } from '../workspace/snapshot-workspace.ts';
import { runAgentProcess } from './agent-process.ts';
import { AgentText, type TakenText } from './agent-text.ts';
import { AgentChildren, type OpenRunnerChild } from './agent-children.ts';
import { toAgentTool, toAgentToolName, toInput } from './agent-tool.ts';
import { toReceivable, toSource } from './call-source.ts';
import type { Observed, Turn } from './agent-turn.ts';
import { receiveAnswers } from './answers.ts';
import { performCall } from './perform-call.ts';
import { ProgramRequests } from './program-requests.ts';

const CANCELLED: AskAnswer = { verdict: 'cancelled' };

type UseOptions = NonNullable<Parameters<RunnerHost['useTool']>[2]>;

/** Records what an agent reports, and runs what it asks for through the gate. */
export class AgentHost implements RunnerHost {
  readonly #text = new AgentText();
  readonly #observed = new Map<string, Observed>();
  #turn: Turn | undefined;
  readonly #uses = new Set<Promise<unknown>>();
  readonly #requests = new ProgramRequests((run) => this.#inOrder(run));
  #queue: Promise<unknown> = Promise.resolve();
  #failure: { error: unknown } | undefined;
  readonly #children: AgentChildren;

  constructor(openChild: OpenRunnerChild) {
    this.#children = new AgentChildren(openChild, (run) => this.#inOrder(run));
  }

  /** Begins a turn. The signal aborts when the agent has to stop: after a cancel, or at a limit. */
  begin(work: Work): AbortSignal {
    const stop = new AbortController();
    const signal = anySignal(work.stop, stop.signal);
    // After a revocation, the sandbox of the agent still has the authority.
    const answers = receiveAnswers(work, { onReceived: (_, { type }) => void (type === 'revoke' && stop.abort()) });
    this.#turn = { work, answers, stop, signal };
    return signal;
  }

  /** Ends the turn and the commands of its terminals. Returns the text that is not recorded. @throws What a record threw. */
  async end(): Promise<TakenText> {
    const { work, answers, stop } = this.#now();
    stop.abort();
    await Promise.allSettled(this.#uses);
    await this.#children.endAll();
    await this.#queue;
    await answers.close();
    this.#turn = undefined;
    this.#observed.clear();
    if (this.#failure) throw this.#failure.error;
    return this.#text.take(work);
  }

  text(kind: 'text' | 'thinking', text: string): void {
    // Text after the end of a turn belongs to no request.
    if (this.#turn) this.#text.add(this.#turn.work, kind, text);
  }

  entry(id: string): void {
    if (this.#turn) this.#text.entry(id);
  }

  redact(text: string): string {
    return this.#now().work.redactor.redact(text);
  }

  async child(call: string, task: string): Promise<RunnerChild> {
    const { work, signal } = this.#now();
    const id = this.#observed.get(call)?.id ?? call;
    return await this.#children.open(work, { call: id, task, signal });
  }

  notice(text: string): void {
    const { work } = this.#now();
    this.#record(() => work.append([{ type: 'notice', run: runOf(work.state).id, level: 'warn', text }]));
  }

  allows(access: Access): boolean {
    const { authority, engine } = this.#now().work;
    return allowsAccess(authority.grant(), access, engine.clock.now());
  }

  call(call: AgentCall): void {
    if (!this.#turn) return;
    const known = this.#observed.get(call.id);
    if (known?.isClosed || (!known?.isRecorded && call.state === 'waiting')) return;
    const observed = this.#toRecorded(call);
    this.#record(() => this.#recordState(observed, call));
  }

  ask(call: AgentCall): Promise<AskAnswer> {
    // An agent can ask again about a call that was denied.
    if (this.#observed.get(call.id)?.isClosed) this.#observed.delete(call.id);
    return this.#track(this.#ask(call));
  }

  async #ask(call: AgentCall): Promise<AskAnswer> {
    const { signal, answers, work } = this.#now();
    const observed = this.#toRecorded(call);
    for (;;) {
      const answer = await this.#inOrder(() => this.#judge(observed, call));
      if (answer !== 'asked') return answer;
      const approval = this.#find(observed.id)?.asked?.approval;
      if (approval !== undefined) await answers.until(approval, signal);
      if (signal.aborted || !work.state.run) return CANCELLED;
    }
  }

  useTool(name: string, input: unknown, options: UseOptions = {}): Promise<ToolUse> {
    return this.#track(this.#useTool(name, input, options));
  }

  async #useTool(name: string, input: unknown, { signal, onOutput }: UseOptions): Promise<ToolUse> {
    const turn = this.#now();
    const { engine } = turn.work;
    const id = engine.ids.ulid();
    const stop = signal ? anySignal(turn.signal, signal) : turn.signal;
    let finished: ToolFinished | undefined;
    const work: Work = {
      ...turn.work,
      stop,
      append(bodies, consume) {
        finished ??= bodies.find((body) => body.type === 'tool.finished' && body.call === id) as typeof finished;
        return turn.work.append(bodies, consume);
      },
    };
    if (this.#isAtLimit()) return { outcome: 'cancelled', output: 'The limit of tool calls is reached.' };
    const parts = this.#text.take(work);
    await this.#inOrder(() => this.#append(parts, { type: 'call', id, name, input }));
    const unlisten = onOutput
      ? engine.store.onLive((live) => live.type === 'tool.progress' && live.call === id && onOutput(live.text))
      : () => {};
    try {
      await performCall(this.#find(id)!, { ...turn, work }, (run) => this.#inOrder(run));
    } finally {
      unlisten();
    }
    if (!finished) return { outcome: 'cancelled', output: 'Not run: the turn was stopped.' };
    const { outcome, output, detail } = finished as ToolFinished;
    return { outcome, output, detail };
  }

  async readText(path: string): Promise<ToolUse & { text?: string }> {
    const used = await this.useTool('read_file', { path });
    if (used.outcome !== 'ok') return used;
    const { work } = this.#now();
    const found = await (await createToolContext(work, '')).find(path);
    const bytes = await found.folder.read(found.relative);
    return { ...used, text: work.redactor.redact(new TextDecoder().decode(bytes)) };
  }

  reserve(request: ProgramRequest): ReturnType<RunnerHost['reserve']> {
    return this.#requests.reserve(this.#now().work, request);
  }

  openRedactor(): Promise<(text: string) => string> {
    return this.#requests.openRedactor(this.#now().work);
  }

  exec(request: AgentProcess): Promise<ExecResult> {
    return runAgentProcess(this.#now().work, request);
  }

  /** The turn ends after the operation. If it fails, the turn fails with it. */
  async #track<T>(running: Promise<T>): Promise<T> {
    this.#uses.add(running);
    try {
      return await running;
    } catch (error) {
      this.#failure ??= { error };
      this.#turn?.stop.abort();
      throw error;
    } finally {
      this.#uses.delete(running);
    }
  }

  #now(): Turn {
    if (!this.#turn) throw new KlausError('runner.failed', 'The agent sent a request outside of a turn.');
    return this.#turn;
  }

  /** Runs an operation after all earlier ones. `release`: later ones need not wait for its end. */
  #inOrder<T>(run: (release: () => void) => Promise<T>): Promise<T> {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const result = this.#queue.then(() => run(resolve));
    this.#queue = Promise.race([
      released,
      result.then(
        () => resolve(),
        () => resolve(),
      ),
    ]);
    return result;
  }

  /** Records without waiting. A failure ends the turn, which throws it. */
  #record(run: () => Promise<void>): void {
    this.#inOrder(run).catch((error: unknown) => {
      this.#failure ??= { error };
      this.#turn?.stop.abort();
    });
  }

  #find(id: string): CallState | undefined {
    return this.#now().work.state.calls.find((call) => call.id === id);
  }

  /** True if no further call is allowed: the turn is stopped, and the loop asks about the limit. */
  #isAtLimit(): boolean {
    const { work, stop } = this.#now();
    if (toolCallsLeft(work.state, 1) > 0) return false;
    stop.abort();
    return true;
  }

  async #append({ parts, ...text }: TakenText, call: CallPart): Promise<void> {
    const { work } = this.#now();
    const { run, turn } = { run: runOf(work.state).id, turn: work.state.turn };
    const message = { ...text, role: 'assistant' as const, origin: 'model' as const, parts: [...parts, call] };
    work.originals.set(call.id, call.input);
    await work.append([{ type: 'message.added', run, turn, message }]);
  }

  /** The record of a call, which begins with a message that contains it and the text before it. */
  #toRecorded(call: AgentCall): Observed {
    const { work } = this.#now();
    let observed = this.#observed.get(call.id);
    if (observed) return observed;
    const id = work.state.callIds.has(call.id) ? `${call.id}_${work.engine.ids.ulid()}` : call.id;
    observed = { id, began: work.engine.clock.now(), isRecorded: true, isClosed: false };
    this.#observed.set(call.id, observed);
    const text = this.#text.take(work);
    const part: CallPart = { type: 'call', id, name: toAgentToolName(call.kind), input: toInput(call) };
    this.#record(() => this.#append(text, part));
    return observed;
  }

  async #recordState(observed: Observed, call: AgentCall): Promise<void> {
    const { work } = this.#now();
    const state = this.#find(observed.id);
    if (!state || state.finished || (state.asked && isWaiting(state, work.state))) return;
    const bodies: EventBody[] = [];
    const head = toHead(work, state);
    if (!state.started && call.state !== 'waiting') {
      if (this.#isAtLimit()) return;
      const more = { ...(call.diff === undefined ? {} : { diff: call.diff }), ...toReceivable(work, call) };
      const attempt = toAttempt(state);
      bodies.push({ type: 'tool.started', ...head, attempt, resume: 'tell', changes: [], ...more, observed: true });
    }
    if (call.state === 'done' || call.state === 'failed') {
      observed.isClosed = true;
      const output = cutOutput(work.redactor.redact(call.output), work.engine.settings.maxToolOutputContext);
      bodies.push(
        toFinished(head, {
          outcome: call.state === 'done' ? 'ok' : 'error',
          output,
          ...(await toSource(work, { id: observed.id, call, output })),
          durationMs: work.engine.clock.now() - observed.began,
        }),
      );
    }
    if (bodies.length > 0) await work.append(bodies);
  }

  async #judge(observed: Observed, call: AgentCall): Promise<AskAnswer | 'asked'> {
    const { work, signal } = this.#now();
    const state = this.#find(observed.id);
    if (!state || state.finished) return { verdict: 'deny' };
    if (this.#isAtLimit() || signal.aborted) return CANCELLED;
    await work.learnSecrets();
    await work.authority.learn();
    const { workspace } = openedOf(work.state);
    const tool = toAgentTool(call, { workspace, plan: (agent) => planProgramChild(work, agent) });
    const context = await createToolContext(work, observed.id);
    const judged = await work.activities.judge(work, { call: state, tool, input: call.input, context });
    if (signal.aborted) return CANCELLED;
    if (judged.kind === 'asked') {
      await work.append([judged.decided, judged.asked]);
      return 'asked';
    }
    if (judged.kind === 'finished') {
      observed.isClosed = true;
      await work.append([judged.decided, judged.finished]);
      return { verdict: 'deny', reason: judged.finished.output };
    }
    const { diff, fetches } = judged.ready.intent;
    const sent = { ...(fetches === undefined ? {} : { fetches }), ...toReceivable(work, call) };
    const head = { ...sent, ...toHead(work, state), attempt: toAttempt(state), resume: 'tell' as const, changes: [] };
    const started: EventBody[] = state.started ? [] : [{ type: 'tool.started', ...head, diff }];
    const child = work.activities.recordChild(work, judged.ready);
    await work.append([...((await snapshotWorkspace(work)) ?? []), judged.decided, ...child, ...started]);
    return { verdict: 'allow' };
  }
}
