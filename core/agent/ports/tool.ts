import type { z } from 'zod';
import type { ConfiguredHosts, Delegated } from '../../policy/index.ts';
import type {
  Access,
  Authority,
  BlobRef,
  Effect,
  EventBody,
  FileChange,
  ImagePart,
  Receipt,
  Resume,
  ShownFile,
  Todo,
  InputAnswer,
  InputQuestion,
  Untrusted,
} from '../../protocol/index.ts';
import type { Agents } from './agents.ts';
import type { ChildPlan, Children } from './children.ts';
import type { ContextInfo } from './context-info.ts';
import type { DeployOptions } from './tools/deploy-options.ts';
import type { EditorBuffers } from './editor-buffers.ts';
import type { ToolFormatter } from '../formatting/formatter.ts';
import type { LastShown } from './tools/last-shown.ts';
import type { Knowledge } from './memory.ts';
import type { Skills } from '../skills/skills.ts';
import type { ToolSpec } from './model.ts';
import type { Recall } from './recall.ts';
import type { UserGit } from './tools/user-git.ts';
import type { Processes, ProcessStatus, StartProcess } from './processes.ts';
import type { ExecLimits, PrestartRequest, Sandbox } from './sandbox.ts';
import type { NetworkProxy, ProviderSearch, WebClient, WebSearchSettings } from './web-client.ts';
import type { FileEdit, Folder, Workspace } from './workspace.ts';

/** The intended effects of a call, determined without performing it. The gate judges them. */
export interface Intent {
  /** The call in one line for users: `edit src/sum.js (+1 −1)`. */
  title: string;
  /** The complete access of the call. */
  access: readonly Access[];
  delegates?: Delegated;
  /** File contents to be written, for tools that write files. */
  edits?: readonly FileEdit[];
  /** The same as rows, with the hashes that are compared after a crash. */
  changes?: readonly FileChange[];
  /** Unified diff of `edits`. */
  diff?: string;
  /** The command line, for tools that execute. */
  command?: string;
  /**
   * For `resume: 'probe'`: the text that `run` returns after `changes` are written. Logged with the intent, as the result
   * of a call whose process crashed after the change.
   */
  result?: string;
  /** Why the user decides about it in every mode, also if the grant allows it. */
  confirm?: string;
  /** A digest of what it sends out or applies. An approval covers this content only, and is not remembered for others. */
  content?: string;
  /** The MCP server that performs the call. An approval can cover every call of the tool at this server. */
  server?: string;
  /** A plan in Markdown that the user is asked to accept. `run` gets it as it was accepted. */
  plan?: string;
  /** The child session that the call opens. It is recorded with the intent. */
  child?: ChildPlan;
  /** False for a call with the effect `spawn` that creates no agent, which needs no authority to create one. */
  creates?: false;
  /** Why its effects are not known completely, for a call of an agent that another program drives. The user decides. */
  unclear?: string;
  /** The address that it requests with GET, without data and without credentials. Its path is no way to send data. */
  fetches?: string;
  /** The origin of what it can receive from others. Default: according to its access and its tool. */
  receives?: string;
  /** The query that it sends to the search service of the user. */
  searches?: string;
  /** True if it stores a text that later sessions read. */
  isForLater?: true;
  /** True if it starts a background process. After a crash, the files of the process show whether it was started. */
  background?: true;
}

export interface ToolOutput {
  text: string;
  /** True if the tool ran and reports a failure, such as failed tests. */
  isError?: boolean;
  /** Structured details for clients; plain JSON. */
  detail?: unknown;
  /** Images that the model gets after the text, in each later request too. Larger ones than a provider accepts fail its request. */
  images?: readonly ImagePart[];
  changes?: readonly FileChange[];
  /** Files whose content `text` shows. */
  shown?: readonly ShownFile[];
  /** The complete output, if `text` is cut. */
  blob?: BlobRef;
  /** Lines of the complete output of a program, without notes of the tool on it. Default: those of `text`. */
  lines?: number;
  /** Set by checks: the command and its exit code are evidence for the run. The engine adds the states of the workspace. */
  evidence?: Omit<Receipt, 'tree' | 'left'>;
  /** The call waits for these child sessions: it is released, and runs again when they have finished. */
  awaits?: { children: readonly string[]; any: boolean };
  /** The closings of child sessions, recorded before the result. */
  closed?: readonly EventBody[];
  /** The new todo list of the session, which replaces the present one. */
  todos?: readonly Todo[];
  /** Set if `text` contains content of others, such as a web page: it can contain instructions. */
  untrusted?: Untrusted;
  /** Set by a call that started or stopped a background process. */
  process?: ProcessStatus;
}

/** The background processes of the session for tools. */
export interface ToolProcesses extends Processes {
  /** Why none can be started, as a sentence with an alternative. */
  readonly refusal?: string;
  /** @throws KlausError `sandbox.*`, `cancelled`; the command has not run then. */
  start(request: StartProcess): Promise<ProcessStatus>;
}

/** A text that looks like a secret. */
export interface FoundSecret {
  rule: string;
  /** From 1. */
  line: number;
  /** 16 hexadecimal digits, stable for this secret in this file. */
  fingerprint: string;
}

/** A string, or bytes that are only decoded if a listener needs them. */
export interface LiveText {
  /** Characters (UTF-16 units). */
  readonly length: number;
  slice(from: number, to?: number): string;
  toString(): string;
}

/** A path in a folder that the session may read. */
export interface FoundPath {
  /** The workspace, or another folder that contains the path. */
  folder: Folder;
  /** Relative to the folder; '' is its root. */
  relative: string;
  /** Absolute, every symlink resolved. */
  absolute: string;
  /** The path in results: relative to the workspace, absolute outside it; '' is the workspace. */
  shown: string;
}

/** Tools outside the request. */
export interface FoundTools {
  found: readonly ToolSpec[];
  names: readonly string[];
  /** MCP servers whose tools are missing, each as a sentence. */
  failures: readonly string[];
  /** Present if a description of `found` is a text of others: whose. */
  source?: string;
}

export interface ToolContext {
  readonly workspace: Workspace;
  /** The user's editor, if the session has one. */
  readonly buffers?: EditorBuffers;
  /** Encodings of files by glob, as the user has set them: `src/*.c=gbk`. Later ones precede. */
  readonly encodings: readonly string[];
  /**
   * The content of a file that a result showed last, or that a call of the model wrote. Undefined: none is known.
   *
   * @param path As `Workspace.resolve` returns it.
   */
  readonly lastShown: (path: string) => LastShown | undefined;
  /** The formatters of the project; absent: the session may run none. */
  readonly formatter?: ToolFormatter;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** The session's id. */
  readonly session: string;
  /** Emits live output, which is not logged. It is only decoded if there are listeners. */
  progress(text: LiveText): void;
  /** Defaults of the configuration for sandboxed commands. */
  readonly execLimits: ExecLimits;
  /** Absolute paths of readable folders outside the workspace; absent: none. */
  readonly readable?: readonly string[];
  /**
   * Finds a path in the workspace and in the other readable folders, also through symlinks between them.
   *
   * @throws KlausError `workspace.outside` for a path outside of them, `workspace.missing` for a path in a folder that
   *   was deleted or replaced, `tool.failed` for a malformed path.
   */
  readonly find: (path: string) => Promise<FoundPath>;
  readonly processes: ToolProcesses;
  /** The search service of the user; absent: none is set. */
  readonly webSearch?: WebSearchSettings;
  /** The search of the web by the provider of the session's model. */
  readonly providerSearch: ProviderSearch;
  /** Maximum results of a search. */
  readonly maxSearchResults: number;
  /** The author of commits if the repository has no identity. */
  readonly gitIdentity: { name: string; email: string };
  readonly userGit: UserGit;
  /** Addresses and names of the services that deploy tools use. */
  readonly deploy: DeployOptions;
  /** Replaces placeholders in `text` by the values in `current`. See `Redactor.restore`. */
  restoreSecrets(text: string, current: string): string;
  /** The defined agents. */
  readonly agents: Agents;
  readonly skills: Skills;
  /** True if the session's grant allows a tool. @param name Also of a tool that does not exist. */
  readonly mayUse: (name: string) => boolean;
  /** The child sessions of this one. */
  readonly children: Children;
  /** The knowledge about this workspace. New entries are redacted and contain the session. */
  readonly memory: Knowledge;
  /**
   * Tools outside the request that match a query, the best first, and the names of all of them. Only those that the
   * session's grant allows.
   */
  findTools(query: string): Promise<FoundTools>;
  /** The text of this session's log, including messages that are no longer in the context. */
  readonly recall: Recall;
  /** How much of the context window and of the limits is used. */
  contextInfo(): Promise<ContextInfo>;
  /** What the session may do at present. */
  authorities(): readonly Authority[];
  /** The registries of packages that the user configured. */
  registries(): ConfiguredHosts;
  /** Sends requests to the hosts that the intent names with an access `net`, and to no other. */
  web(intent: Pick<Intent, 'access'>): WebClient;
  /** Opens a proxy to the hosts that the intent names with an access `net`, and to no other. */
  proxy(intent: Pick<Intent, 'access'>): Promise<NetworkProxy>;
  /**
   * The value of a credential of the user, which may be sent to this host only.
   *
   * @param name The variable that holds it, such as `NETLIFY_AUTH_TOKEN`.
   * @throws KlausError `denied` unless the intent names it with an access `secret`, `auth` if the user has not set it.
   */
  secret(intent: Pick<Intent, 'access'>, name: string, host: string): string;
  /** True if the user has set the credential. */
  hasSecret(name: string): boolean;
  /**
   * Asks the user, and waits for the answer as long as the call runs. The engine declines without a user.
   *
   * @param signal Aborted: the question is closed.
   */
  ask(question: InputQuestion, signal: AbortSignal): Promise<InputAnswer>;
  /** A writer for output that is too large for memory. */
  openBlob(): { write(chunk: Uint8Array): void; finish(): Promise<BlobRef>; abort(): void };
  /**
   * Finds possible secrets in a text that leaves the workspace, such as a commit. The caller must filter the fingerprints
   * that `.klaus/secrets-allow` allows.
   *
   * @param options.path Relative to the workspace; part of the fingerprint.
   */
  findSecrets(text: string, options?: { path?: string }): FoundSecret[];
}

/** A tool. One file declares it, one registry lists it. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** The JSON schema of `input`, as `toInputSchema` returns it. Default: computed at the first use. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly effects: readonly Effect[];
  readonly resume: Resume;
  /**
   * Where the text of its results comes from, also of failures. `channel`: from others if a service of the context
   * received something from a network. `others`: always. `local`: never. Default `others` for a tool with the effect
   * `network` or `deploy`, otherwise `channel`.
   */
  readonly origin?: 'channel' | 'others' | 'local';
  /** Who made it, in the words of a user: the source of its results. */
  readonly maker?: string;
  /**
   * True: it can send data to others, although it only reads, such as a program with the network. `unconfined`: a program
   * without a sandbox, which needs no call to send what it can read; it counts after a text of others than its maker.
   * Default false.
   */
  readonly sends?: boolean | 'unconfined';
  /** The tool that a grant must allow for it. Default: itself. */
  readonly like?: string;
  /**
   * True: changes the workspace itself even if commands run on layers, such as a tool that changes Git's own data. It
   * needs an approval then.
   */
  readonly inPlace?: boolean;
  /**
   * True: not in the request; `tool_search` finds it and `use_tool` calls it. For tools that few sessions need. Default
   * false.
   */
  readonly deferred?: boolean;
  /** True: only the user calls it. No model is offered it, and a call of a model is refused. Default false. */
  readonly userOnly?: boolean;
  /** The usual sandbox request of its commands. The sandbox is started while the model answers. */
  prestart?(context: ToolContext): PrestartRequest;
  /** Cuts long output to `max` characters. Default: 60 % head and 30 % tail. */
  cut?(text: string, max: number): string;
  /**
   * Determines the intent without changing anything. Default: the call's name, and no access beyond the tool itself.
   *
   * @throws KlausError with a message for the model.
   */
  prepare?(input: Input, context: ToolContext): Promise<Intent>;
  /** @throws KlausError with a message for the model. */
  run(input: Input, context: ToolContext, intent: Intent): Promise<ToolOutput>;
}

/** Declares a tool. Returns it unchanged; infers the type of `input`. */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}
