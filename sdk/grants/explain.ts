import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { createState, type Engine, explainCall, fold, loadState, readHostFacts, type State } from '@klaus/core/agent';
import {
  decide,
  parseGrants,
  renderCommand,
  RULES,
  toAuthorityText,
  toDefaultGrant,
  toGrantText,
  toNeedsText,
} from '@klaus/core/policy';
import {
  type Decision,
  EVENT_VERSION,
  FIRST_PREV,
  KlausError,
  type Mode,
  type SandboxName,
} from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { fromCallText, type GivenCall } from './call-text.ts';
import type { GivenGrant } from './opening-grant.ts';
import { toOpened } from '../open/open-session.ts';
import { resolveSessionGrant } from '../open/resolve-session-grant.ts';

export interface ExplainOptions {
  /** Id of a session whose grant and mode apply. Default: those of a new session. */
  session?: string;
  /** The grant of that new session. */
  grant?: GivenGrant;
  /** Default: the session's, else the configured one. */
  mode?: Mode;
  /** The workspace of that new session. Default: the configured one. */
  workspace?: string;
  /** Where its commands run: the gate also judges requests to the network on the host. Default: the configured one. */
  sandbox?: SandboxName;
  /** True: the hooks before the call run, and their findings are part of the decision. Default false. */
  hooks?: boolean;
  /** For a command without a sandbox: which files count as written by the session. Default: those that changed since now. */
  wrote?: WrittenFiles;
}

export interface WrittenFiles {
  /** Unix milliseconds. */
  since: number;
  /** Absolute paths, in addition to files that changed since. */
  paths: ReadonlySet<string>;
  /** Absolute paths of what it fetched from elsewhere. */
  fetched: ReadonlySet<string>;
}

/** One access that a call needs, and whether the grant covers it. Authorities are texts. */
export interface ExplainedAccess {
  /** In words: `write /srv/app/a.ts`. */
  what: string;
  covered: boolean;
  by: string[];
  nearest?: { authority: string; why: string };
  needs?: string[];
}

/** What the gate would decide about a call, and why. */
export interface Explanation {
  name: string;
  input: unknown;
  /** The call in one line. */
  title: string;
  mode: Mode;
  /** The grant in one line. */
  grant: string;
  decision: Decision;
  access: ExplainedAccess[];
  /** Text for `--grant` that would cover the missing accesses; empty if all are covered. */
  wouldCover: string;
}

export interface Explaining {
  engine: Engine;
  configuration: Configuration;
  /** The engine with the rules of a workspace. */
  inWorkspace: (workspace: string) => Promise<Engine>;
  cwd: string;
}

/** See `Klaus.explain`. */
export async function explain(
  given: string | GivenCall,
  { session, grant, mode, hooks = false, wrote, ...place }: ExplainOptions,
  { engine, configuration, inWorkspace, cwd }: Explaining,
): Promise<Explanation> {
  const call = typeof given === 'string' ? fromCallText(given, engine.tools) : given;
  const state =
    session === undefined
      ? toFreshState(engine, { configuration, cwd, grant, ...place })
      : await loadState(engine, session);
  if (mode !== undefined) state.mode = mode;
  const inForce = await inWorkspace(state.session!.workspace);
  const found = await explainCall(wrote === undefined ? inForce : withWritten(inForce, wrote), state, {
    ...call,
    runsHooks: hooks,
  });
  return {
    ...found,
    grant: toGrantText(found.grant),
    access: found.access.map(({ what, covered, by, nearest, needs }) => ({
      what,
      covered,
      by: by.map(toAuthorityText),
      ...(nearest ? { nearest: { authority: toAuthorityText(nearest.authority), why: nearest.why } } : {}),
      ...(needs ? { needs: needs.map(toAuthorityText) } : {}),
    })),
    wouldCover: toNeedsText(found.access),
  };
}

function withWritten(engine: Engine, { since, paths, fetched }: WrittenFiles): Engine {
  const { hostFiles } = engine;
  return hostFiles === undefined
    ? engine
    : { ...engine, hostFiles: { ...hostFiles, since, wrote: paths, fetched, readsRemote: true } };
}

/** The state of a new session that is not opened. */
function toFreshState(
  engine: Engine,
  {
    configuration,
    cwd,
    grant,
    ...place
  }: Pick<ExplainOptions, 'workspace' | 'sandbox'> & {
    configuration: Configuration;
    cwd: string;
    grant: GivenGrant | undefined;
  },
): State {
  const { limits, sandbox } = configuration.values;
  const workspace = realpathSync.native(resolve(cwd, place.workspace ?? configuration.get('workspace')));
  const given = grant === undefined ? {} : { grant };
  const placed = resolveSessionGrant({ given, configuration, cwd }, { workspace, engine });
  const at = engine.clock.now();
  const state = createState();
  fold(state, {
    ...{ v: EVENT_VERSION, seq: 1, prev: FIRST_PREV, session: engine.ids.ulid(), at },
    ...toOpened(
      { engine, configuration, given },
      { workspace, model: '', sandbox: place.sandbox ?? sandbox.driver ?? 'bubblewrap', limits, ...placed },
    ),
  });
  return state;
}

/** The gate's decision on a command, without running it. */
export interface JudgedCommand extends Decision {
  mode: Mode;
  /** The grant in one line. */
  grant: string;
  /** The command as the gate understood it, one simple command a line. */
  understood: string;
}

interface JudgeOptions extends Explaining {
  mode?: Mode;
  /** Parts of one grant. */
  grant?: readonly string[];
  /** `host`: the command is judged as where there is no sandbox. Default: the configured one. */
  sandbox?: SandboxName;
}

/** The decision of the gate of a new session in this folder on a shell command. Runs nothing. */
export async function judgeCommandLine(command: string, options: JudgeOptions): Promise<JudgedCommand> {
  const { engine, configuration, mode = 'auto' } = options;
  if (command.trim() === '') throw new KlausError('usage', 'There is no command to judge.');
  const workspace = realpathSync.native(resolve(options.cwd, configuration.get('workspace')));
  const { rules, settings } = await options.inWorkspace(workspace);
  const now = engine.clock.now();
  const grant = options.grant ? parseGrants(options.grant, { workspace, now }) : toDefaultGrant(workspace);
  const access = [{ kind: 'exec' as const, command }];
  const isHost = options.sandbox === 'host' || configuration.get('sandbox.driver') === 'host';
  const on = {
    session: engine.ids.ulid(),
    workspace,
    state: [engine.home, ...(engine.linkedState?.() ?? [])],
    access,
    files:
      options.sandbox === 'host' && engine.hostFiles ? { ...engine.hostFiles, readsRemote: true } : engine.hostFiles,
  };
  const call = { name: 'run_command', effects: ['execute' as const], access, altered: false };
  const context = {
    grant,
    mode,
    patchApproval: configuration.get('requirePatchApproval'),
    workspace,
    home: engine.home,
    linkedState: engine.linkedState?.(),
    now,
    isOffline: !isHost,
    ...(isHost ? { host: await readHostFacts(on) } : {}),
    secretPatterns: settings.secretPatterns,
    names: engine.compareNames([workspace]),
  };
  const decision = decide(call, context, [...RULES, ...rules]);
  return { ...decision, mode, grant: toGrantText(grant), understood: renderCommand(command, workspace) };
}
