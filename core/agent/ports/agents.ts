import type { GrantLine } from '../../policy/index.ts';
import type { AgentDefinition, Grant, KlausError } from '../../protocol/index.ts';

/** Who wrote a definition: the user, in a folder of the user, or the authors of the project, in a folder of the workspace. */
export type AgentSource = 'user' | 'project';

/** A definition and its file. */
export interface FoundAgent {
  /** How it is named where it is used, and in logs: its name, or `project/NAME`. */
  name: string;
  from: AgentSource;
  /** False for a definition of the project that the user has not trusted, or that changed since then. */
  isTrusted: boolean;
  definition: AgentDefinition;
  /** Absolute path. */
  file: string;
  /** SHA-256 of the file. */
  hash: string;
  /** Files of the same name in later folders of the same source, which this one hides. */
  hides: readonly string[];
}

/** A file that is not a definition. It hides no other file. */
export interface BrokenAgent {
  file: string;
  /** With line and reason. */
  error: KlausError;
}

export interface AgentList {
  /** By name. */
  agents: readonly FoundAgent[];
  broken: readonly BrokenAgent[];
}

export interface AgentGrant {
  grant: Grant;
  /** Names in `tools` and `disallowedTools` that no tool has. They give nothing. */
  unknownTools: readonly string[];
}

export interface SaveAgentOptions {
  /**
   * `project`: in the workspace, for everyone who works on it, and trusted. Default `user`: for all of this user's
   * projects; with `replace`, the definition that the name alone means.
   */
  place?: AgentSource;
  /** True: replaces the definition of this name where it is, and keeps a copy of the former one. Default false. */
  replace?: boolean;
  /** `hash` of the definition that is replaced. Default: any. */
  expected?: string;
}

/** The authority that a definition requests, in words. */
export interface AgentDescription extends Pick<AgentGrant, 'unknownTools'> {
  /** In the notation of `--grant`. */
  grant: string;
  /** What the agent may do, and what it cannot do. */
  lines: readonly GrantLine[];
}

/** The defined agents of one workspace. */
export interface Agents {
  /** Absolute real path. */
  readonly workspace: string;
  list(): Promise<AgentList>;
  /**
   * The agent of a name: that of the user, else that of the project. `project/NAME` is always that of the project.
   *
   * @throws KlausError `usage` with the nearest name.
   */
  find(name: string): Promise<FoundAgent>;
  /**
   * Stores that the user trusts the definition of the project, as long as its file stays the same.
   *
   * @param options.expected `hash` of the definition that the user has seen. Default: any.
   * @throws KlausError `usage` with the nearest name, `workspace.conflict` for another hash.
   */
  trust(name: string, options?: Pick<SaveAgentOptions, 'expected'>): Promise<FoundAgent>;
  /**
   * What a definition of the project asks for beyond reading and editing the workspace, in plain words. Empty for one
   * of the user, and for one that the user trusts.
   *
   * @param given.grant The authority that it would get. Default: what it requests.
   * @param given.hasModel True if its model is not used. @param given.hasFallback The same for its fallback models.
   */
  untrusted(found: FoundAgent, given?: { grant?: Grant; hasModel?: boolean; hasFallback?: boolean }): readonly string[];
  /** @throws KlausError `usage` with the command that trusts it, if {@link untrusted} names something. */
  checkTrust(found: FoundAgent, given?: { grant?: Grant; hasModel?: boolean; hasFallback?: boolean }): void;
  /**
   * The authority that a definition requests.
   *
   * @param options.place Where it applies: in this workspace, or in every folder, which is `/`. Default `workspace`.
   * @throws KlausError `config` for an unknown capability, `usage` for an invalid grant.
   */
  grantOf(definition: AgentDefinition, options?: { place?: 'workspace' | 'everywhere' }): AgentGrant;
  /** @throws KlausError as {@link grantOf}. */
  describe(definition: AgentDefinition): AgentDescription;
  /** True for the file of a definition that belongs to the workspace. @param file Absolute path. */
  isOfProject(file: string): boolean;
  /**
   * Writes the file of a definition. Returns its absolute path.
   *
   * @throws KlausError `usage` if the name is taken, or with `replace`, if it is not; `config` for an invalid definition;
   *   `workspace.conflict` if the file is not the expected one.
   */
  save(definition: AgentDefinition, options?: SaveAgentOptions): Promise<string>;
  /**
   * Replaces the text of a definition's file, which can also be a broken one, and keeps a copy of the former text.
   *
   * @param change.before The text that was edited.
   * @throws KlausError `config` for an invalid text or another name, `workspace.conflict` if the file changed since.
   */
  edit(file: string, change: { name: string; before: string; text: string }): Promise<void>;
  /**
   * Removes the definition of an agent. Its sessions keep what they opened with.
   *
   * @param options.expected `hash` of the definition. Default: any.
   * @returns `copy`: where its file is kept.
   * @throws KlausError `usage` with the nearest name, `workspace.conflict`.
   */
  remove(name: string, options?: Pick<SaveAgentOptions, 'expected'>): Promise<FoundAgent & { copy: string }>;
}
