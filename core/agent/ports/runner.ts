import type {
  Access,
  EventOf,
  Mode,
  Part,
  RunnerName,
  SessionRunner,
  StopReason,
  Usage,
} from '../../protocol/index.ts';
import type { FailureDetails, ModelInfo } from './model.ts';
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
  /** Name of the tool that it uses at once to start a program. The sandbox of that tool is started ahead. */
  readonly startsWith?: string;
  /**
   * Starts the agent, or continues its own earlier session.
   *
   * @throws KlausError `runner.failed`, `sandbox.*`, `cancelled`.
   */
  open(request: RunnerRequest, host: RunnerHost): Promise<RunnerSession>;
  /**
   * Runs the agent's own interactive program in the terminal of the user until it exits. Absent: it has none.
   *
   * @param request `signal` kills the program.
   */
  attend?(request: RunnerRequest, terminal: RunnerTerminal): Promise<RunnerAttended>;
}

export interface RunnerRequest extends Pick<SessionRunner, 'model' | 'settingSources' | 'mcpServers'> {
  /** Id of the session of Klaus. */
  session: string;
  command: readonly string[];
  mode: Mode;
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
  /** US dollars that are left of the limit of the session. Absent: unlimited. */
  usdLeft?: number;
  signal: AbortSignal;
}

/** The terminal of the user, for a program that uses it instead of messages. */
export interface RunnerTerminal {
  /** Further arguments of the program. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of an empty private folder, through which the program and the runner exchange reports. */
  readonly folder: string;
  /** Aborted: the program is asked to end. */
  readonly stop: AbortSignal;
  /** Called before the program starts. Resolves when the terminal is free. */
  onReady(): Promise<void>;
  /** Called when the program has ended: the terminal is free. Its record is read after that. */
  onExit(exitCode: number | null): void;
  /** The command that gives a program a terminal of its own. */
  toCommand(words: readonly string[]): readonly string[];
  /** As `RunnerHost.exec`, with the terminal of this process as standard streams. */
  exec(request: AgentProcess): Promise<ExecResult>;
  /**
   * The program reports in which session of its own it is.
   *
   * @param link.agent Its name for users. @returns False: it must not be there, and is asked to end.
   */
  onLink(link: { id: string; agent: string }): Promise<boolean>;
}

/** How an interactive program ended. */
export interface RunnerAttended {
  /** Null if a signal ended it. */
  exitCode: number | null;
  signal: string | null;
  /** What it recorded in each of its sessions in which it was, in order. */
  sessions: readonly { id: string; history: readonly RunnerEntry[] }[];
}

export interface RunnerSession {
  /** Name and version of the agent. */
  readonly agent: string;
  /** The agent's own id of this session. */
  readonly id: string;
  /** True if it continues the session of the request and knows what was said in it. */
  readonly isResumed: boolean;
  /** True: the agent keeps its costs, so that it reports what a turn without an end cost in a later one. */
  readonly keepsCosts?: boolean;
  /** What the agent itself recorded in the session that it continues, in order. Absent: it does not report it. */
  readonly history?: readonly RunnerEntry[];
  /**
   * One turn: sends the parts and resolves when the agent has ended its turn. After `signal` is aborted, the agent is
   * asked to stop, and ended if it does not.
   *
   * @throws KlausError `runner.failed` if the process of the agent ends, or breaks the protocol.
   */
  prompt(parts: readonly Part[], options: { turn: number; mode: Mode; signal: AbortSignal }): Promise<RunnerEnd>;
  /** Ends the process of the agent and waits for its end. Idempotent. */
  close(): Promise<void>;
}

/** One entry of the agent's own record of its session. */
export interface RunnerEntry {
  /** Of the agent, unique in its session. */
  id: string;
  role: 'user' | 'assistant';
  text: string;
  /** The tool call that it contains, or of which it is the result. */
  call?: string;
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
  'delegate',
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
  /** Set if `fetch` is known to send nothing but this: a request with GET to an address, or a query for a search. */
  sends?: { fetches: string } | { searches: string };
  /** Unified diff of its change, if it is known. */
  diff?: string;
  /** The arguments as the agent reports them. */
  input?: unknown;
  /** With `delegate`: the kind of agent that it starts. */
  agent?: string;
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

/** What an agent reports, and what it asks of the gate. Reports are recorded in order. */
export interface AgentReports {
  /** Text of the agent. It is shown at once and recorded as a part of a message. */
  text(kind: 'text' | 'thinking', text: string): void;
  /** The id that the agent gave to the text since the last one. */
  entry(id: string): void;
  /** The new state of a call that the agent makes by itself. */
  call(call: AgentCall): void;
  /** Asks the gate, and the user if the gate does. Resolves with `cancelled` after the turn was stopped. */
  ask(call: AgentCall): Promise<AskAnswer>;
}

export interface AskAnswer {
  verdict: 'allow' | 'deny' | 'cancelled';
  /** For the agent, why it is denied. */
  reason?: string;
}

/** An agent that the agent started, in a child session of its own. */
export interface RunnerChild extends AgentReports {
  /** Ends the run of the child session and closes it. */
  end(outcome: 'done' | 'failed'): Promise<void>;
}

/** What a runner reports, and what it does through the engine. */
export interface RunnerHost extends AgentReports {
  /**
   * Opens the child session of an allowed call of kind `delegate`. Without an end, it fails at the end of the turn.
   *
   * @param call The id of the agent.
   */
  child(call: string, task: string): Promise<RunnerChild>;
  /** The text with placeholders in place of known secrets. */
  redact(text: string): string;
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
  /** True if the grant of the session allows an access now. The gate is not asked. */
  allows(access: Access): boolean;
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
  /** Texts of the user that no earlier request contained. They are recorded with the request. Default: none. */
  prompts?: readonly string[];
}

/** What an answered request shows of the work of the program. */
export interface ProgramExchange {
  /** Results of calls of earlier exchanges. */
  results: readonly { id: string; output: string; isError: boolean }[];
  /** Text of the answer. */
  texts: readonly string[];
  /** The calls of the answer, which the program makes by itself. */
  calls: readonly AgentCall[];
}

export interface Reservation {
  /** The requested tokens of the answer, or less if a limit allows less. */
  maxOutputTokens: number;
  /** Records the end of the request and what it shows, and releases what it did not use. */
  settle(
    end: Pick<
      EventOf<'model.attempted'>,
      'outcome' | 'status' | 'message' | 'usage' | 'usd' | 'held' | 'estimated' | keyof FailureDetails
    >,
    exchange?: ProgramExchange,
  ): Promise<void>;
}
