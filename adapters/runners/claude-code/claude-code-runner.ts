import { headOf } from '@klaus/core/cut-text';
import type {
  AskAnswer,
  Runner,
  RunnerEnd,
  RunnerEntry,
  RunnerHost,
  RunnerRequest,
  RunnerSession,
} from '@klaus/core/agent';
import { KlausError, stopReasonSchema, type Mode, type Part } from '@klaus/core/protocol';
import { startAgentProcess, type StartedProcess } from '../process/agent-process.ts';
import { attendClaudeCode } from './attend.ts';
import { Costs } from './costs.ts';
import { CLAUDE_CODE_LIMITS } from './limits.ts';
import { toPromptUuid, toSessionUuid } from './preset-ids.ts';
import { openLines, type ProcessLines } from './process-lines.ts';
import { Reports } from './reports.ts';
import { toContent } from './to-content.ts';
import { toPermissionMode, toWords } from './to-words.ts';
import { readTranscript } from './transcript.ts';
import { readHookInput, readMessage, type WireMessage, type WireMessageOf } from './wire.ts';

/** Milliseconds that it has to end its turn after an interrupt. */
const STOP_GRACE_MS = 4_000;
/** Milliseconds that it has to start. */
const START_MS = 60_000;
/** Seconds that a hook can wait for the user: 23 days, below the limit of a timer. */
const HOOK_SECONDS = 2_000_000;

/** Work that outlasts a turn would change files without a snapshot. */
const ENV = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1', DISABLE_AUTOUPDATER: '1' };

/** Drives Claude Code by the messages and control requests of its program. */
export function createClaudeCodeRunner(): Runner {
  return { name: 'claude-code', limits: CLAUDE_CODE_LIMITS, open: openClaudeCode, attend: attendClaudeCode };
}

async function openClaudeCode(request: RunnerRequest, host: RunnerHost): Promise<RunnerSession> {
  const id = request.resume?.id ?? toSessionUuid(request.session);
  // Also without a record: a crash can come between the start and its record.
  const transcript = await readTranscript(host, request, id);
  const command = toWords(request, { id, resume: transcript !== undefined });
  const process = startAgentProcess(host, { ...request, command, env: ENV });
  const session = new ClaudeCodeSession(process, { request, host, id });
  const kill = (): void => process.kill();
  const timer = setTimeout(kill, START_MS);
  request.signal.addEventListener('abort', kill, { once: true });
  try {
    await session.initialize();
    if (transcript) {
      session.isResumed = request.resume !== undefined;
      session.history = transcript.entries;
      session.costs = new Costs(transcript.costs, request.resume?.usd);
    }
    return session;
  } catch (error) {
    await session.close();
    throw error;
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', kill);
  }
}

class ClaudeCodeSession implements RunnerSession {
  agent = 'Claude Code';
  readonly id: string;
  readonly keepsCosts = true;
  isResumed = false;
  history: readonly RunnerEntry[] = [];
  costs = new Costs(undefined, undefined);
  readonly #process: StartedProcess;
  readonly #request: RunnerRequest;
  readonly #reports: Reports;
  readonly #lines: ProcessLines;
  readonly #pending = new Map<string, PromiseWithResolvers<unknown>>();
  #mode: Mode;
  #turn: PromiseWithResolvers<WireMessageOf<'result'>> | undefined;
  #problem: KlausError | undefined;
  #requests = 0;

  constructor(
    process: StartedProcess,
    { request, host, id }: { request: RunnerRequest; host: RunnerHost; id: string },
  ) {
    this.id = id;
    this.#process = process;
    this.#request = request;
    this.#mode = request.mode;
    this.#reports = new Reports(host, request.workspace);
    this.#lines = openLines(process, (line) => {
      const message = readMessage(line);
      if (message) this.#receive(message);
    });
  }

  /** Registers the hooks through which the gate sees each call. @throws KlausError `runner.failed`. */
  async initialize(): Promise<void> {
    const toHook = (...hookCallbackIds: string[]): object[] => [
      { matcher: null, hookCallbackIds, timeout: HOOK_SECONDS, onFailure: 'block' },
    ];
    const hooks = {
      PreToolUse: toHook('klaus-pre'),
      PostToolUse: toHook('klaus-post'),
      PostToolUseFailure: toHook('klaus-post'),
    };
    const answer = await this.#ask({ subtype: 'initialize', hooks, forwardSubagentText: true });
    const { claude_code_version: version } = (answer ?? {}) as { claude_code_version?: string };
    if (version !== undefined) this.agent = `Claude Code ${version}`;
  }

  async prompt(
    parts: readonly Part[],
    { turn, mode, signal }: { turn: number; mode: Mode; signal: AbortSignal },
  ): Promise<RunnerEnd> {
    if (mode !== this.#mode) {
      await this.#ask({ subtype: 'set_permission_mode', mode: toPermissionMode(mode) });
      this.#mode = mode;
    }
    this.#turn = Promise.withResolvers();
    let timer: NodeJS.Timeout | undefined;
    const interrupt = (): void => {
      this.#ask({ subtype: 'interrupt' }).catch(() => {});
      timer = setTimeout(() => this.#process.kill(), STOP_GRACE_MS);
    };
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      this.#lines.send({
        type: 'user',
        message: { role: 'user', content: toContent(parts) },
        parent_tool_use_id: null,
        session_id: this.id,
        uuid: toPromptUuid(this.#request.session, turn),
      });
      const result = await this.#unlessEnded(this.#turn.promise);
      await this.#reports.settle();
      return this.#toEnd(result, signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      this.#turn = undefined;
    }
  }

  async close(): Promise<void> {
    this.#process.kill();
    await this.#process.ended;
    await this.#lines.ended;
  }

  #toEnd(result: WireMessageOf<'result'>, { aborted }: AbortSignal): RunnerEnd {
    const { usd, usage } = this.costs.take(result);
    if (aborted) return { stopReason: 'cancelled', usd, usage };
    const { usdLeft } = this.#request;
    // The loop asks about the limit.
    if (result.subtype === 'error_max_budget_usd') {
      return { stopReason: 'end_turn', usage, usd: Math.max(usd, usdLeft ?? 0) };
    }
    if (result.subtype !== 'success' || result.is_error) {
      const why = result.errors?.join(' ') || result.result || result.subtype;
      throw new KlausError('runner.failed', `Claude Code ended its turn with an error: ${headOf(why, 600)}`, {
        hint: 'Name the variable of its key in `env`, such as ANTHROPIC_API_KEY, and check that the grant has web-access.',
      });
    }
    return { stopReason: stopReasonSchema.safeParse(result.stop_reason).data ?? 'end_turn', usd, usage };
  }

  #receive(message: WireMessage): void {
    switch (message.type) {
      case 'stream_event':
        return this.#reports.stream(message);
      case 'assistant':
      case 'user':
        return this.#refuse(this.#reports.message(message));
      case 'system':
        return this.#receiveSystem(message);
      case 'result':
        return this.#turn?.resolve(message);
      case 'control_request':
        return void this.#answer(message);
      case 'control_response': {
        const { request_id: id, subtype, error, response } = message.response;
        const pending = this.#pending.get(id);
        this.#pending.delete(id);
        if (subtype === 'success') pending?.resolve(response);
        else pending?.reject(new KlausError('runner.failed', `Claude Code refused a request: ${error ?? subtype}`));
      }
    }
  }

  #receiveSystem(message: WireMessageOf<'system'>): void {
    if (message.claude_code_version !== undefined) this.agent = `Claude Code ${message.claude_code_version}`;
    if (message.subtype === 'task_started' && message.task_type === 'local_agent') this.#reports.start(message);
    if (message.subtype === 'task_notification') {
      this.#reports.end(message, message['status'] === 'completed' ? 'done' : 'failed');
    }
  }

  /** Ends the process if a tool ran without the gate. */
  #refuse(calls: readonly string[]): void {
    if (calls.length === 0) return;
    this.#problem ??= new KlausError('runner.failed', 'Claude Code ran a tool without asking: its hooks are off.', {
      hint: 'Remove `disableAllHooks` from its settings, also from managed settings.',
    });
    this.#process.kill();
  }

  /** Answers a request of the program. What fails is denied. */
  async #answer({ request_id: id, request }: WireMessageOf<'control_request'>): Promise<void> {
    const reply = (response: object): void => {
      this.#lines.send({ type: 'control_response', response: { request_id: id, ...response } });
    };
    try {
      if (request.subtype === 'hook_callback') {
        reply({ subtype: 'success', response: await this.#onHook(request.input) });
      } else if (request.subtype === 'can_use_tool') {
        const { tool_name, input, tool_use_id, agent_id } = request;
        const asked = readHookInput({
          hook_event_name: 'PreToolUse',
          tool_name,
          tool_input: input,
          tool_use_id,
          agent_id,
        });
        const answer: AskAnswer = asked ? await this.#reports.ask(asked) : { verdict: 'deny' };
        const response =
          answer.verdict === 'allow'
            ? { behavior: 'allow', updatedInput: input }
            : { behavior: 'deny', message: toDenial(answer) };
        reply({ subtype: 'success', response });
      } else {
        reply({ subtype: 'error', error: `Klaus does not support ${request.subtype}.` });
      }
    } catch (error) {
      reply({ subtype: 'success', response: toDecision('deny', `Klaus could not judge the call: ${String(error)}`) });
    }
  }

  async #onHook(given: unknown): Promise<object> {
    const input = readHookInput(given);
    if (!input) return toDecision('deny', 'Klaus could not read the call, so it is denied.');
    if (input.hook_event_name !== 'PreToolUse') {
      const updatedToolOutput = await this.#reports.keep(input);
      if (updatedToolOutput === undefined) return {};
      return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput } };
    }
    const answer = await this.#reports.ask(input);
    return answer.verdict === 'allow' ? toDecision('allow', 'Allowed by Klaus.') : toDecision('deny', toDenial(answer));
  }

  #ask(request: object): Promise<unknown> {
    const id = `klaus-${++this.#requests}`;
    const answer = Promise.withResolvers<unknown>();
    this.#pending.set(id, answer);
    this.#lines.send({ type: 'control_request', request_id: id, request });
    return this.#unlessEnded(answer.promise);
  }

  /** @throws KlausError `runner.failed` if the process ends before. */
  async #unlessEnded<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => {});
    const ended = this.#process.ended.then((reason) => Promise.reject(this.#problem ?? reason));
    ended.catch(() => {});
    return await Promise.race([answer, ended]);
  }
}

function toDenial({ verdict, reason = 'Denied by Klaus.' }: AskAnswer): string {
  return verdict === 'cancelled' ? 'Not run: the turn was stopped.' : reason;
}

function toDecision(permissionDecision: 'allow' | 'deny', permissionDecisionReason: string): object {
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } };
}
