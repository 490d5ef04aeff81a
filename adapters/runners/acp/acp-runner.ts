import { headOf } from '@klaus/core/cut-text';
import type { Runner, RunnerEnd, RunnerHost, RunnerRequest, RunnerSession } from '@klaus/core/agent';
import { KlausError, type Part, type StopReason } from '@klaus/core/protocol';
import {
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientConnection,
  type InitializeResponse,
  type LoadSessionRequest,
  type NewSessionResponse,
  type PromptResponse,
  type StopReason as AcpStopReason,
} from '@agentclientprotocol/sdk/unstable';
import { AgentCalls, toText } from './agent-calls.ts';
import { startAgentProcess, type StartedProcess } from '../process/agent-process.ts';
import { createClientApp } from './client-methods.ts';
import { ACP_LIMITS } from './limits.ts';
import { takeUpdates } from './agent-messages.ts';
import type { RecordedUpdate } from './session-update.ts';
import { toPrompt } from './to-prompt.ts';

/** Milliseconds that an agent has to end its turn after a cancel. */
const STOP_GRACE_MS = 4_000;
/** Milliseconds that an agent has to start. */
const START_MS = 60_000;

const STOP_REASONS: Readonly<Record<AcpStopReason, StopReason>> = {
  end_turn: 'end_turn',
  max_tokens: 'max_tokens',
  max_turn_requests: 'pause_turn',
  refusal: 'refusal',
  cancelled: 'cancelled',
};

/** Drives an agent that speaks the Agent Client Protocol over standard input and output. */
export function createAcpRunner(): Runner {
  return { name: 'acp', limits: ACP_LIMITS, open: openAcpSession };
}

async function openAcpSession(request: RunnerRequest, host: RunnerHost): Promise<RunnerSession> {
  const process = startAgentProcess(host, request);
  const session = new AcpSession(process, request, host);
  const onAbort = (): void => process.kill();
  request.signal.addEventListener('abort', onAbort, { once: true });
  try {
    await session.open(request);
    return session;
  } catch (error) {
    await session.close();
    throw error;
  } finally {
    request.signal.removeEventListener('abort', onAbort);
  }
}

type Place = Pick<LoadSessionRequest, 'cwd' | 'mcpServers' | 'additionalDirectories'>;

class AcpSession implements RunnerSession {
  agent: string;
  id = '';
  isResumed = false;
  readonly #process: StartedProcess;
  readonly #host: RunnerHost;
  readonly #calls: AgentCalls;
  readonly #connection: ClientConnection;
  #initialized: InitializeResponse | undefined;
  /** True while an earlier session is loaded: the agent repeats what was said. */
  #isLoading = false;
  #cost = { total: 0, isReported: false };

  constructor(process: StartedProcess, { command, workspace }: RunnerRequest, host: RunnerHost) {
    this.agent = command.map((word) => word.slice(word.lastIndexOf('/') + 1)).join(' ');
    this.#process = process;
    this.#host = host;
    this.#calls = new AgentCalls(workspace);
    const messages = takeUpdates(ndJsonStream(process.input, process.output), (id, update) =>
      this.#onUpdate(id, update),
    );
    this.#connection = createClientApp({ host, calls: this.#calls }).connect(messages);
  }

  async open({ workspace, folders, resume }: RunnerRequest): Promise<void> {
    const { agent } = this.#connection;
    const timer = setTimeout(() => this.#process.kill(), START_MS);
    try {
      const initialized = await this.#unlessEnded(
        agent.request(methods.agent.initialize, {
          protocolVersion: PROTOCOL_VERSION,
          clientInfo: { name: 'klaus', title: 'Klaus', version: '1' },
          clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: true },
        }),
      );
      if (initialized.protocolVersion !== PROTOCOL_VERSION)
        throw new KlausError('runner.failed', `The agent speaks version ${initialized.protocolVersion} of ACP, not 1.`);
      this.#initialized = initialized;
      const { agentInfo } = initialized;
      if (agentInfo) this.agent = `${agentInfo.title ?? agentInfo.name} ${agentInfo.version}`;
      const capabilities = initialized.agentCapabilities?.sessionCapabilities;
      const place: Place = { cwd: workspace, mcpServers: [] };
      if (capabilities?.additionalDirectories) place.additionalDirectories = [...folders];
      this.#cost.total = resume?.usd ?? 0;
      if (resume !== undefined && (await this.#resume(resume.id, place))) return;
      const opened = await this.#unlessEnded<NewSessionResponse>(agent.request(methods.agent.session.new, place));
      this.id = opened.sessionId;
    } finally {
      clearTimeout(timer);
    }
  }

  async prompt(parts: readonly Part[], { signal }: { signal: AbortSignal }): Promise<RunnerEnd> {
    const { agent } = this.#connection;
    const before = this.#cost.total;
    const prompt = toPrompt(parts, this.#initialized?.agentCapabilities?.promptCapabilities ?? {});
    let timer: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      void agent.notify(methods.agent.session.cancel, { sessionId: this.id }).catch(() => {});
      timer = setTimeout(() => this.#process.kill(), STOP_GRACE_MS);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const response = await this.#unlessEnded(
        agent.request(methods.agent.session.prompt, { sessionId: this.id, prompt }),
      );
      // An agent may count from zero again after it was started.
      const { total, isReported } = this.#cost;
      const usd = isReported ? (total < before ? total : total - before) : undefined;
      return { stopReason: STOP_REASONS[response.stopReason], usage: toUsage(response), usd };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    this.#process.kill();
    await this.#process.ended;
    this.#connection.close();
  }

  /** False if the agent cannot continue the session. */
  async #resume(id: string, place: Place): Promise<boolean> {
    const { agent } = this.#connection;
    const { loadSession = false, sessionCapabilities } = this.#initialized?.agentCapabilities ?? {};
    if (!loadSession && !sessionCapabilities?.resume) return false;
    this.#isLoading = true;
    try {
      const params = { ...place, sessionId: id };
      await this.#unlessEnded(
        sessionCapabilities?.resume
          ? agent.request(methods.agent.session.resume, params)
          : agent.request(methods.agent.session.load, params),
      );
      [this.id, this.isResumed] = [id, true];
      return true;
    } catch (error) {
      if (error instanceof EndedError) throw error.reason;
      return false;
    } finally {
      this.#isLoading = false;
    }
  }

  /** The answer of the agent. @throws KlausError `runner.failed` if its process ends before, or answers with an error. */
  async #unlessEnded<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => {});
    const ended = this.#process.ended.then((reason) => Promise.reject(new EndedError(reason)));
    try {
      return await Promise.race([answer, ended]);
    } catch (error) {
      // The connection breaks just before the process is known to have ended.
      if (this.#connection.signal.aborted) throw await this.#process.ended;
      throw error instanceof EndedError ? error.reason : toAgentError(error);
    }
  }

  #onUpdate(sessionId: string, update: RecordedUpdate): void {
    // Sessions of its own helpers are not this one.
    if (this.#isLoading || (this.id !== '' && sessionId !== this.id)) return;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#host.text('text', toText(update.content));
      case 'agent_thought_chunk':
        return this.#host.text('thinking', toText(update.content));
      case 'tool_call':
      case 'tool_call_update':
        return this.#host.call(this.#calls.update(update));
      case 'usage_update':
        if (update.cost?.currency === 'USD') this.#cost = { total: update.cost.amount, isReported: true };
    }
  }
}

/** The process of the agent ended while an answer was expected. */
class EndedError extends Error {
  readonly reason: KlausError;

  constructor(reason: KlausError) {
    super(reason.message);
    this.reason = reason;
  }
}

function toAgentError(error: unknown): KlausError {
  const { message, code, data } = error as { message?: string; code?: number; data?: unknown };
  // -32000: the agent needs a login.
  const hint =
    code === -32_000 ? 'Log in with the program of the agent, or name the variable of its key in `env`.' : undefined;
  const detail = data === undefined || data === null ? '' : ` ${headOf(JSON.stringify(data), 300)}`;
  return new KlausError('runner.failed', `The agent answered with an error: ${message ?? String(error)}${detail}`, {
    hint,
    cause: error,
  });
}

function toUsage({ usage }: PromptResponse): RunnerEnd['usage'] {
  if (!usage) return undefined;
  return {
    input: usage.inputTokens,
    output: usage.outputTokens + (usage.thoughtTokens ?? 0),
    cacheRead: usage.cachedReadTokens ?? 0,
    cacheWrite: usage.cachedWriteTokens ?? 0,
  };
}
