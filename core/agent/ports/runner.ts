import type { EventOf, Part, RunnerName, StopReason, Usage } from '../../protocol/index.ts';
import type { ModelInfo } from './model.ts';
import type { ExecRequest, ExecResult } from './sandbox.ts';

/** An invariant of Klaus that does not hold for a session with this runner. */
export interface RunnerLimit {
  /** In a few words, such as `every effect passes the gate`. */
  invariant: string;
  /** What is different, as a sentence. */
  reason: string;
}

/** What drives the agent of a session instead of the loop: another program, or its SDK. */
export interface Runner {
  readonly name: RunnerName;
  readonly limits: readonly RunnerLimit[];
  /**
   * Starts the agent, or continues its own earlier session.
   *
   * @throws KlausError `runner.failed`, `sandbox.*`, `cancelled`.
   */
  open(request: RunnerRequest, host: RunnerHost): Promise<RunnerSession>;
}

export interface RunnerRequest {
  command: readonly string[];
  /** Absolute path of a folder whose files are copied into the home folder of the agent. */
  home?: string;
  /** True: `RunnerHost.exec` runs in a sandbox, with a home folder of the session. False: with that of the user. */
  isSandboxed: boolean;
  /** Absolute. */
  workspace: string;
  /** Absolute paths of readable folders outside the workspace. */
  folders: readonly string[];
  /** The agent's own session to continue, and what it has cost in US dollars. Absent, or unknown to the agent: a new one. */
  resume?: { id: string; usd: number | null };
  signal: AbortSignal;
}

export interface RunnerSession {
  /** Name and version of the agent. */
  readonly agent: string;
  /** The agent's own id of this session. */
  readonly id: string;
  /** True if it continues the session of the request and knows what was said in it. */
  readonly isResumed: boolean;
  /**
   * One turn: sends the parts and resolves when the agent has ended its turn. After `signal` is aborted, the agent is
   * asked to stop, and ended if it does not.
   *
   * @throws KlausError `runner.failed` if the process of the agent ends, or breaks the protocol.
   */
  prompt(parts: readonly Part[], options: { signal: AbortSignal }): Promise<RunnerEnd>;
  /** Ends the process of the agent and waits for its end. Idempotent. */
  close(): Promise<void>;
}

export interface RunnerEnd {
  stopReason: StopReason;
  /** Absent if the agent does not report it. */
  usage?: Usage;
  /** US dollars of the turn; absent if the agent does not report them. */
  usd?: number;
}

/** The kinds of tool calls that an agent reports. */
export const AGENT_CALL_KINDS = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'other',
] as const;
export type AgentCallKind = (typeof AGENT_CALL_KINDS)[number];

/** The present state of a tool call that the agent makes by itself. */
export interface AgentCall {
  /** Of the agent, unique in its session. */
  id: string;
  kind: AgentCallKind;
  /** One line for users. */
  title: string;
  /** Absolute paths of the files that it concerns. */
  paths: readonly string[];
  /** The command line, if it is known. */
  command?: string;
  /** The address that it requests, if it is known. */
  url?: string;
  /** Unified diff of its change, if it is known. */
  diff?: string;
  /** The arguments as the agent reports them. */
  input?: unknown;
  /** `waiting`: it has not begun. */
  state: 'waiting' | 'running' | 'done' | 'failed';
  output: string;
}

/** The result of a tool of Klaus that the agent used. */
export interface ToolUse {
  outcome: 'ok' | 'error' | 'denied' | 'cancelled' | 'unknown';
  /** For the agent. */
  output: string;
  /** Structured details of the tool. */
  detail?: unknown;
}

/** What a runner reports, and what it does through the engine. Reports are recorded in order. */
export interface RunnerHost {
  /** Text of the agent. It is shown at once and recorded as a part of a message. */
  text(kind: 'text' | 'thinking', text: string): void;
  /** The new state of a call that the agent makes by itself. */
  call(call: AgentCall): void;
  /** Asks the gate, and the user if the gate does. Resolves with `cancelled` after the turn was stopped. */
  ask(call: AgentCall): Promise<'allow' | 'deny' | 'cancelled'>;
  /**
   * Runs a tool of the engine through the gate.
   *
   * @param options.signal Ends this use. @param options.onOutput Called with the output of a command while it runs.
   */
  useTool(
    name: string,
    input: unknown,
    options?: { signal?: AbortSignal; onOutput?: (text: string) => void },
  ): Promise<ToolUse>;
  /** The text of a file, after the gate allowed its reading. Secrets are replaced by placeholders. */
  readText(path: string): Promise<ToolUse & { text?: string }>;
  notice(text: string): void;
  /**
   * Reserves the budget of a request of a wrapped program before it is sent. Several can be in flight.
   *
   * @returns Why it must not be sent, as a sentence, if a limit does not allow it.
   */
  reserve(request: ProgramRequest): Promise<Reservation | { refused: string }>;
  /** Learns the present secret files. The function that replaces secrets is another one if there are new ones. */
  openRedactor(): Promise<(text: string) => string>;
  /** Runs the process of the agent in the sandbox, with the files and the network of the session's grant. */
  exec(request: AgentProcess): Promise<ExecResult>;
}

export type AgentProcess = Pick<ExecRequest, 'command' | 'env' | 'binds' | 'stdin' | 'onOutput' | 'onBegin' | 'signal'>;

/** A request to a model that a wrapped program is about to send. */
export interface ProgramRequest {
  /** Full name, `provider/id`. */
  model: string;
  info: ModelInfo;
  /** The most tokens that its prompt can have. */
  promptTokens: number;
  /** The most tokens of the answer that it requests. */
  maxOutputTokens: number;
  /** The body that is hashed for the log. */
  body: string;
}

export interface Reservation {
  /** The requested tokens of the answer, or less if a limit allows less. */
  maxOutputTokens: number;
  /** Records the end of the request and releases what it did not use. */
  settle(end: Pick<EventOf<'model.attempted'>, 'outcome' | 'status' | 'message' | 'usage' | 'usd'>): Promise<void>;
}
