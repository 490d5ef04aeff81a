import type {
  Checkpoint,
  Effort,
  Limits,
  Mode,
  RunnerName,
  SandboxName,
  SessionRunner,
  SettingsInput,
} from '@klaus/core/protocol';
import type { EditorBuffers, Runner, Tool } from '@klaus/core/agent';
import type { AiProvider, ScriptedServer } from '@klaus/adapters/models';
import type { GivenGrant } from './grants/opening-grant.ts';

export interface KlausOptions {
  /** State folder. Default: `KLAUS_HOME`, else `~/.klaus`. */
  home?: string;
  /** Environment to read settings from. Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Settings by key (`model`, `limits.usd`). They override all other sources. */
  settings?: SettingsInput;
  /** Folder whose `.klaus/config.yaml` is read and in which sessions work by default. Default: the current one. */
  cwd?: string;
  /** Tools in addition to the built-in ones. */
  tools?: readonly Tool[];
  /** False: only `tools`. Default true. */
  builtinTools?: boolean;
  /** Returns the server of a `scripted/NAME` model. Default: such models are unknown. */
  scripted?: (name: string) => Promise<ScriptedServer>;
  /**
   * Providers of the AI SDK for models named `ai/NAME/ID`, by NAME, such as `{ mistral }` of `@ai-sdk/mistral`. Default:
   * their packages are loaded from `<home>/ai-sdk/node_modules`.
   */
  aiProviders?: Readonly<Record<string, AiProvider>>;
  /**
   * When background processes end that are not marked to survive: with the run that started them, so that they do
   * nothing after its last snapshot, or when Klaus is closed. Default `close`.
   */
  endProcesses?: 'run' | 'close';
  /** Hosts that commands with a network reach, as in `listFetchHosts`; in bubblewrap, in the foreground. Default: all. */
  hosts?: readonly string[];
  /**
   * The editor of a session: `read_file` includes its unsaved text, and the tools that write files refuse to overwrite
   * it. Default: no session has one.
   */
  buffers?: (session: string) => EditorBuffers | undefined;
  /** Drives the sessions that are opened with `wrap`. Default: none can be opened. */
  wrapRunner?: Runner;
  /** Receives lines for the user that belong to no session, such as "openai/… goes through OpenRouter". */
  onNotice?: (text: string) => void;
}

export interface OpenOptions {
  /** A ULID that no session has. Default: a new one. */
  id?: string;
  /** Default: the configured workspace. */
  workspace?: string;
  /** Accept `/`, the home folder and the like. Default false. */
  allowAnyWorkspace?: boolean;
  /**
   * The session works in a private clone of the repository that contains the workspace, on a branch of its own.
   * `withChanges`: the clone has the uncommitted changes. A set-up command of a project file needs `trustCommand`.
   * Default false.
   */
  workingCopy?: boolean | { withChanges: boolean };
  /**
   * The folder around the workspace that may be read. The workspace itself: no other folder. Default: the repository
   * that contains it.
   */
  root?: string;
  model?: string;
  /**
   * Names of at most three models that answer, in this order, while `model` cannot. Their providers get the session too.
   * Default: the setting `fallback`.
   */
  fallback?: readonly string[];
  /** 0 to 2. Default: the setting, else that of the model. */
  temperature?: number;
  /** How much the model reasons. Default: the setting, else that of the model. */
  effort?: Effort;
  mode?: Mode;
  /**
   * Name of a defined agent, whose authority, model, limits and instructions the session has. `grant`, `mode` and
   * `limits` only narrow them. Default: Klaus itself.
   */
  agent?: string;
  /** What drives the agent, instead of what its definition says. Default: that, else the loop of Klaus. */
  runner?: RunnerName;
  /** The settings files that Claude Code loads, without a definition. Default: none. */
  settingSources?: SessionRunner['settingSources'];
  /** True: a definition or a set-up command of the project may run its program. The user has read it. Default false. */
  trustCommand?: boolean;
  /**
   * True: the session reaches public addresses only, and the hosts of the setting `server.privateHosts`, regardless of its
   * grant. Default false.
   */
  publicOnly?: boolean;
  /**
   * Names of agents to which this session can give tasks that they do with their own authority, as their definitions
   * say now. Default: none. It can start other agents with what its grant may delegate.
   */
  workers?: readonly string[];
  /**
   * A chat: `latest({ with: 'chat' })` finds it, so that a later chat can continue it. An agent whose definition keeps
   * no history (`config.preserve_history: false`) opens none. Default false.
   */
  chat?: boolean;
  /**
   * The program that `KlausOptions.wrapRunner` runs, instead of an agent of Klaus. Its requests to models are reserved one
   * by one, so that a limit in dollars can be kept.
   */
  wrap?: readonly string[];
  sandbox?: SandboxName;
  limits?: Partial<Limits>;
  /**
   * True: a person is present, who sees what is used. Then the defaults of the limits, which are for scripts, do not
   * apply, except the one of tokens for a model without a price. Default false.
   */
  attended?: boolean;
  checkpoint?: Checkpoint;
  /**
   * The authority of the session: data, or text such as `file-operations · net(example.com)`. Money and turns in it
   * narrow the limits, models in it narrow the choice of the model. Default: the workspace and the sandbox, nothing to
   * delegate.
   */
  grant?: GivenGrant;
  /**
   * Hosts that commands with a network reach, in addition to what `grant` and the agent allow: presets (`npm`, `pypi`,
   * `crates`, `go`, `github`), with the registries that the user configured, and hosts such as `example.com`,
   * `*.example.com` or `localhost:4873`. Default: none.
   */
  allowNet?: readonly string[];
  /**
   * Called with each folder outside of the workspace that `grant` names, also with its real path: throws for one that
   * may not be read. For callers that pass on grants of others. Default: all folders that contain no secrets and do not
   * belong to the system or to Klaus are allowed.
   */
  checkFolder?: (folder: string) => void;
  /** Commands work on a layer, and their changes are reviewed before they are applied. Default: the setting. */
  isolate?: boolean;
  /** Id of the instance from which it is opened: a terminal or a script. */
  instance?: string;
  /** Id of the session from which it is started. It gives no authority. */
  startedBy?: string;
}
