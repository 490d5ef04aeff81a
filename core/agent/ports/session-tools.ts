import type { Access } from '../../protocol/index.ts';
import type { AgentProcess } from './runner.ts';
import type { ExecResult } from './sandbox.ts';
import type { Tool, ToolContext } from './tool.ts';

/** What the tools of one session use of the engine. */
export interface SessionToolsHost {
  session: string;
  /** Absolute. */
  workspace: string;
  /** True if `exec` hides the machine and can make the workspace read-only. */
  readonly isSandboxed: boolean;
  /** True if `exec` runs a program without a sandbox. */
  readonly isUnconfined: boolean;
  /** True if the present grant of the session allows the access. */
  readonly allows: (access: Access) => boolean;
  /**
   * Runs a program in the sandbox of the session until `signal` is aborted, with the files and the network of its grant.
   *
   * @param options.writes False: the program can change no file, if the sandbox supports this.
   */
  readonly exec: (request: AgentProcess, options: { writes: boolean }) => Promise<ExecResult>;
  /** Values that the redactor replaces from now on. */
  readonly learn: (values: readonly { name: string; value: string }[]) => void;
}

/** The tools of the servers of a session. */
export interface ListedTools {
  tools: readonly Tool<unknown>[];
  /** Sentences of Klaus about servers that cannot be used. */
  failures: readonly string[];
  /** Sentences for the user, each once. */
  notices: readonly string[];
  /** By the name of a tool whose description the user has not accepted: whose text it is. */
  sources: ReadonlyMap<string, string>;
}

/** The tools that one session has in addition to those of the engine: those of its MCP servers. Opened at their first use. */
export interface SessionTools {
  /**
   * All tools. Servers that cannot be used have none.
   *
   * @param ask Asks about tools that are not as the user knows them. Without an acceptance they are left out.
   */
  list(signal: AbortSignal, ask?: ToolContext['ask']): Promise<ListedTools>;
  /** The tool of a call. If there is none, `prepare` of the returned one throws the reason. Never rejects. */
  find(name: string, signal: AbortSignal): Promise<Tool<unknown>>;
  /** Ends the servers and waits for their end. Idempotent. */
  close(): Promise<void>;
}

/** Names of tools of MCP servers: `mcp__SERVER__TOOL`. */
export function isSessionTool(name: string): boolean {
  return name.startsWith('mcp__');
}
