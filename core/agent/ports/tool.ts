import type { z } from 'zod';
import type { Access, BlobRef, Effect, FileChange, Receipt, Resume } from '../../protocol/index.ts';
import type { Knowledge } from './memory.ts';
import type { ToolSpec } from './model.ts';
import type { Recall } from './recall.ts';
import type { Processes, ProcessStatus, StartProcess } from './processes.ts';
import type { ExecLimits, PrestartRequest, Sandbox } from './sandbox.ts';
import type { FileEdit, Folder, Workspace } from './workspace.ts';

/** What a call is about to do, found out without doing it. The gate judges this. */
export interface Intent {
  /** The call in one line, for people: `edit src/sum.js (+1 −1)`. */
  title: string;
  /** Everything that will be touched. */
  access: readonly Access[];
  /** File contents to be written, for tools that write files. */
  edits?: readonly FileEdit[];
  /** The same as rows, with the hashes that a probe compares after a crash. */
  changes?: readonly FileChange[];
  /** Unified diff of `edits`. */
  diff?: string;
  /** The command line, for tools that execute. */
  command?: string;
  /**
   * For `resume: 'probe'`: the text that `run` will give once `changes` are in place. Logged with the
   * intent, so that a call found done after a crash has the result that it would have had.
   */
  result?: string;
  /** Starts a background process: after a crash its files say whether it did. */
  background?: true;
}

export interface ToolOutput {
  text: string;
  /** True when the tool ran but what it did failed, such as tests that are red. */
  isError?: boolean;
  /** Structured detail for doors; plain JSON. */
  detail?: unknown;
  changes?: readonly FileChange[];
  /** The whole output where `text` is not all of it. */
  blob?: BlobRef;
  /** Set by tools that check something: the command and its exit code are evidence for the run. The engine adds the trees. */
  evidence?: Omit<Receipt, 'tree' | 'left'>;
  /** Set by a call that started or stopped a background process. */
  process?: ProcessStatus;
}

/** The background processes of the session, as tools use them. */
export interface ToolProcesses extends Processes {
  /** Why none can be started here, as a sentence with what to do instead. */
  readonly refusal?: string;
  /** @throws KlausError `sandbox.*`, `cancelled`; nothing of the command has run then. */
  start(request: StartProcess): Promise<ProcessStatus>;
}

/** One thing that looks like a secret. */
export interface FoundSecret {
  rule: string;
  /** From 1. */
  line: number;
  /** 16 hexadecimal digits, the same for this secret in this file for as long as both exist. */
  fingerprint: string;
}

/** A string, or what can become one: bytes that nobody may want to read. */
export interface LiveText {
  /** Characters (UTF-16 units). */
  readonly length: number;
  slice(from: number, to?: number): string;
  toString(): string;
}

/** A path in a folder that the session may read. */
export interface FoundPath {
  /** The workspace, or the folder beside it that holds the path. */
  folder: Folder;
  /** Relative to the folder; '' is its root. */
  relative: string;
  /** Absolute, every symlink resolved. */
  absolute: string;
  /** The path as results name it: relative to the workspace, absolute beside it; '' is the workspace. */
  shown: string;
}

export interface ToolContext {
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** The session's id. */
  readonly session: string;
  /** Text as it comes, shown live and not logged. It is made a string only while somebody watches. */
  progress(text: LiveText): void;
  /** Defaults of the configuration for sandboxed commands. */
  readonly execLimits: ExecLimits;
  /** Absolute paths of folders beside the workspace that may be read; absent: none. */
  readonly readable?: readonly string[];
  /**
   * Finds what a tool is to read, in the workspace and in the folders beside it, also through symlinks from one to
   * the other.
   *
   * @throws KlausError `workspace.outside` for a path that leads to none of them, `workspace.missing` for one in a
   *   folder that is gone or replaced, `tool.failed` for a malformed one.
   */
  readonly find: (path: string) => Promise<FoundPath>;
  readonly processes: ToolProcesses;
  /** Results that a search returns at most. */
  readonly maxSearchResults: number;
  /** Who signs commits where the repository has no identity. */
  readonly gitIdentity: { name: string; email: string };
  /** Secret placeholders in `text` that stand for values in `current`, put back. See `Redactor.restore`. */
  restoreSecrets(text: string, current: string): string;
  /** What is remembered about this workspace. Secrets are taken out of what is set, and the session stands with it. */
  readonly memory: Knowledge;
  /**
   * Tools outside the request that fit a query, the best first, and the names of all of them. Only what the
   * session's grant holds.
   */
  findTools(query: string): { found: readonly ToolSpec[]; names: readonly string[] };
  /** The text of this session's log, also of what no longer is in the context. */
  readonly recall: Recall;
  /** A writer for output too large to keep in memory. */
  openBlob(): { write(chunk: Uint8Array): void; finish(): Promise<BlobRef>; abort(): void };
  /**
   * What looks like a secret, for what leaves the workspace, such as a commit. The rules are strict here: what
   * is allowed by `.klaus/secrets-allow` is the caller's to leave out, by its fingerprint.
   *
   * @param options.path Relative to the workspace; part of the fingerprint.
   */
  findSecrets(text: string, options?: { path?: string }): FoundSecret[];
}

/** One thing that a model can do. One file declares it, one registry lists it. */
export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** What a model is told of `input`, as `toInputSchema` makes it. Default: made when it is first asked for. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
  readonly effects: readonly Effect[];
  readonly resume: Resume;
  /**
   * Works on the workspace itself also where commands work on a layer: for what a layer cannot hold, such as
   * Git's own data. It is asked about first there.
   */
  readonly inPlace?: boolean;
  /**
   * Not in the request: `tool_search` finds it and `use_tool` calls it. For what is not needed in every session;
   * everything else about it stays the same. Default false.
   */
  readonly deferred?: boolean;
  /** What its commands mostly ask of their sandbox, which is made while the model answers. */
  prestart?(context: ToolContext): PrestartRequest;
  /** Cuts long output to `max` characters in a way that suits it; default: 60 % head and 30 % tail. */
  cut?(text: string, max: number): string;
  /**
   * Looks, without touching anything. Default: the call's name, and no access beyond the tool itself.
   *
   * @throws KlausError whose message the model sees.
   */
  prepare?(input: Input, context: ToolContext): Promise<Intent>;
  /** @throws KlausError whose message the model sees. */
  run(input: Input, context: ToolContext, intent: Intent): Promise<ToolOutput>;
}

/** Declares a tool; the identity function that gives `input` its type. */
export function defineTool<Input>(tool: Tool<Input>): Tool<Input> {
  return tool;
}
