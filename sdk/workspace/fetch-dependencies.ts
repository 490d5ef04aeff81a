import { readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ExecResult } from '@klaus/core/agent';
import { parseHostRule, planFetch, toFetchHosts, toProgramSource, type FetchStep } from '@klaus/core/policy';
import {
  CONTAINER_SANDBOXES,
  isCallOutput,
  KlausError,
  SERVICE_MODELS,
  type Event,
  type EventOf,
} from '@klaus/core/protocol';
import type { Script } from '@klaus/adapters/models';
import { findProgram, findRegistries } from '@klaus/adapters/sandboxes';
import { createProjectReader } from '@klaus/adapters/tools';
import { toHome } from '../config/home.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { createKlaus } from '../create-klaus.ts';
import type { Klaus } from '../klaus.ts';
import type { KlausOptions } from '../klaus-options.ts';
import type { Session } from '../sessions/session-handle.ts';
import { markPrinted } from '../sandboxes/sandboxes.ts';
import { startModelServer } from '../models/model-server.ts';

const TITLE = 'Fetch the dependencies';
/** Milliseconds that a command may take. */
const STEP_MS = 600_000;
/** Folders of a workspace that are not separate projects. */
const SKIPPED = /^(?:\..*|node_modules|vendor|target|build|dist)$/;

export interface FetchOptions extends Pick<KlausOptions, 'home' | 'env' | 'settings' | 'onNotice'> {
  /** Default: the current folder. */
  workspace?: string;
  /** Steps of `planFetchOf` that the user approved. */
  steps: readonly FetchStep[];
  /** Hosts that the steps reach. Default: those of the steps. `any`: every host. */
  hosts?: readonly string[] | 'any';
  onStart?: (step: FetchStep) => void;
  /** Receives the output of the commands. */
  onOutput?: (text: string) => void;
  /** Stops the current command. */
  signal?: AbortSignal;
}

export interface FetchedStep extends FetchStep {
  outcome: EventOf<'tool.finished'>['outcome'];
  /** The end of the command's output. */
  output: string;
  durationMs: number;
  /** Requested hosts that it may not reach, as `host:port`. */
  refused: readonly string[];
}

/** How the steps of one tool in one folder ended. */
export interface FetchedTool extends Pick<FetchStep, 'tool' | 'folder'> {
  /**
   * `missing`: its program was not found; `failed`: the download failed; `unbuilt`: everything was downloaded, and a later
   * step failed; `skipped`: none of its steps was run.
   */
  state: 'done' | 'missing' | 'failed' | 'unbuilt' | 'denied' | 'cancelled' | 'skipped';
  durationMs: number;
}

export interface Fetched {
  /** The session that recorded it. */
  session: string;
  /** The executed steps, in order. After a failure, the later steps of the same tool are left out. */
  steps: FetchedStep[];
  /** One for each tool and folder, in the order of the steps. */
  tools: FetchedTool[];
  /** Cache entries for later sessions of the workspace; 0 if no download succeeded. */
  kept: number;
}

/**
 * The steps that download the dependencies of a folder.
 *
 * @param options.without Tools that cannot be used. Another tool of the same language counts, if one fits.
 */
export function planFetchOf(workspace: string, { without = [] }: { without?: readonly string[] } = {}): FetchStep[] {
  const list = (folder: string) => readdirSync(join(workspace, folder), { withFileTypes: true });
  const root = list('');
  const toNames = (entries: typeof root) => entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const below = root.filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name)).map(({ name }) => name);
  const names = new Map([['', toNames(root)], ...below.map((name) => [name, toNames(list(name))] as const)]);
  return planFetch(names, { read: createProjectReader(workspace), without: new Set(without) });
}

/** A tool of a plan whose program is not installed. */
export interface MissingTool {
  tool: string;
  program: string;
  /** How the user gets it: a command, or what to install from where. */
  source: string;
}

/**
 * The tools of some steps whose programs are not installed. A sandbox in a container has programs of its own, so that
 * none of them counts.
 *
 * @throws KlausError `config`.
 */
export async function findMissingTools(
  steps: readonly FetchStep[],
  { env = process.env, home, workspace }: Pick<FetchOptions, 'env' | 'home' | 'workspace'> = {},
): Promise<MissingTool[]> {
  const cwd = resolve(workspace ?? process.cwd());
  const configuration = await loadConfiguration({ env, home: home ?? toHome(env, cwd), cwd });
  const driver = configuration.get('sandbox.driver');
  if (driver !== undefined && CONTAINER_SANDBOXES[driver] !== undefined) return [];
  const tools = new Map(steps.map(({ tool, program }) => [tool, program]));
  return [...tools].flatMap(([tool, program]) =>
    program === undefined || findProgram(program, env['PATH'] ?? '') !== undefined
      ? []
      : [{ tool, program, source: toProgramSource(program) }],
  );
}

/**
 * Hosts that some steps reach, in order: those of their tools, and the registries that the user configured for them.
 *
 * @param more.allowed Further ones, such as `git.example.com`, `*.example.com` or `localhost:4873`.
 * @throws KlausError `usage` for an invalid host.
 */
export function listFetchHosts(
  steps: readonly FetchStep[],
  { env = process.env, allowed = [] }: Pick<FetchOptions, 'env'> & { allowed?: readonly string[] } = {},
): string[] {
  for (const host of allowed) parseHostRule(host);
  return [...new Set([...toFetchHosts(steps, findRegistries(env).hosts), ...allowed])];
}

/**
 * Runs such commands in the sandbox of a workspace, as a session of its own: through the gate and recorded, with these
 * calls in the place of a model. What lands in caches is there for later sessions of the workspace.
 *
 * @throws KlausError as `createKlaus` and `klaus.open`; `cancelled`.
 */
export async function fetchDependencies(options: FetchOptions): Promise<Fetched> {
  const workspace = realpathSync.native(resolve(options.workspace ?? process.cwd()));
  const script: Script = {
    price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    steps: [],
    fallback: { text: TITLE },
  };
  const server = await startModelServer({ script });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => server.close());
  await using klaus = await createKlaus({
    home: options.home,
    env: options.env,
    onNotice: options.onNotice,
    ...(options.hosts === 'any' ? {} : { hosts: options.hosts ?? listFetchHosts(options.steps, options) }),
    cwd: workspace,
    // The user requested exactly these commands, so limits and a review do not apply.
    settings: {
      ...options.settings,
      model: SERVICE_MODELS.fetch,
      approve: 'auto',
      isolate: false,
      requirePatchApproval: false,
      // Downloads need no commit; undo covers them.
      checkpoint: 'manual',
      'limits.tokens': 0,
      'limits.usd': 0,
      'limits.toolCalls': 0,
      'limits.turns': 0,
    },
    scripted: async () => server,
  });
  const session = await klaus.open({ workspace });
  try {
    const steps = await follow(klaus, session, { ...options, script });
    const { saveDownloads } = await import('@klaus/adapters/sandboxes');
    const stored = saveDownloads(klaus.home, { workspace, session: session.id });
    if (options.signal?.aborted) throw new KlausError('cancelled', 'Stopped before everything was downloaded.');
    const isDownloaded = steps.some(({ network, outcome }) => network && outcome === 'ok');
    const tools = toFetchedTools(options.steps, steps);
    return { session: session.id, steps, tools, kept: isDownloaded ? stored : 0 };
  } finally {
    await markPrinted(klaus, session.id);
  }
}

interface FollowOptions extends FetchOptions {
  /** Of the model. It gets the calls before each prompt. */
  script: Script;
}

/**
 * Works on the session until the steps are done. Approves only them. After a failure, a further run has the steps of the
 * other tools. The end of the last run says how all of them ended.
 */
async function follow(klaus: Klaus, session: Session, options: FollowOptions): Promise<FetchedStep[]> {
  const { steps, onStart, onOutput, signal, script } = options;
  const fetched: FetchedStep[] = [];
  let asked: readonly FetchStep[] = [];
  let ended = new AbortController();
  const note = (event: Event): void => {
    const step = 'index' in event && event.name === 'run_command' ? asked[event.index] : undefined;
    // The end of the run answers the calls that are left.
    if (!step || ended.signal.aborted) return;
    if (event.type === 'tool.started') onStart?.(step);
    if (event.type !== 'tool.finished') return;
    const { outcome, output, durationMs, detail } = event;
    const { refusedHosts = [] } = (detail ?? {}) as Pick<ExecResult, 'refusedHosts'>;
    fetched.push({ ...step, outcome, output, durationMs, refused: refusedHosts });
    if (outcome !== 'ok' || event.index === asked.length - 1) ended.abort();
  };
  const unsubscribe = session.subscribe(0, note);
  const unlisten = session.onLive((live) => {
    if (isCallOutput(live)) onOutput?.(live.text);
  });
  const cancel = (): void => void session.send({ type: 'cancel', by: 'sdk', reason: 'stopped by the user' });
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    await session.send({ type: 'change', title: TITLE });
    for (let left = steps; left.length > 0 && !signal?.aborted; left = toLeft(steps, fetched)) {
      asked = left;
      ended = new AbortController();
      addTurn(script, left);
      await session.prompt(TITLE, { onAsk: 'wait' });
      await advance(klaus, session, { steps, pause: ended.signal });
      // Without it, the run ended before its calls did.
      if (!ended.signal.aborted || signal?.aborted) break;
      const reason = toReason(toFetchedTools(steps, fetched));
      script.fallback = { text: reason };
      const outcome = fetched.every((step) => step.outcome === 'ok') ? 'done' : 'failed';
      await session.send({ type: 'cancel', by: 'fetch', outcome, reason });
      await session.advance();
    }
    return fetched;
  } finally {
    signal?.removeEventListener('abort', cancel);
    unlisten();
    unsubscribe();
  }
}

/** Works on the session until a call ends the run, and answers its questions. */
async function advance(
  klaus: Klaus,
  session: Session,
  { steps, pause }: { steps: readonly FetchStep[]; pause: AbortSignal },
): Promise<void> {
  for (;;) {
    const result = await session.advance({ pause });
    if (result.state !== 'parked') return;
    for (const { approval, subject } of result.approvals) {
      const isMeant = subject.kind === 'call' && steps.some(({ command }) => command === subject.command);
      await klaus.answer(approval, isMeant ? 'approved' : 'rejected', { by: 'fetch' });
    }
  }
}

/** Answers the next prompt with the calls of some steps. */
function addTurn(script: Script, steps: readonly FetchStep[]): void {
  const calls = steps.map(({ command, folder, network }) => ({
    name: 'run_command',
    input: { command, network, timeoutMs: STEP_MS, ...(folder === '' ? {} : { cwd: folder }) },
  }));
  script.steps.push({ when: { turn: script.steps.length, tools: true }, reply: { calls } });
}

/** The steps that were not run, without those of a tool of which one failed. */
function toLeft(steps: readonly FetchStep[], fetched: readonly FetchedStep[]): FetchStep[] {
  const failed = new Set(fetched.filter(({ outcome }) => outcome !== 'ok').map(toGroup));
  const ran = new Set(fetched.map((step) => `${toGroup(step)} ${step.command}`));
  return steps.filter((step) => !failed.has(toGroup(step)) && !ran.has(`${toGroup(step)} ${step.command}`));
}

function toGroup({ tool, folder }: FetchStep): string {
  return JSON.stringify([tool, folder]);
}

/** The result of a missing program, in every shell. */
const NOT_FOUND = /\[exit code 127\]/;

function toFetchedTools(planned: readonly FetchStep[], steps: readonly FetchedStep[]): FetchedTool[] {
  return [...Map.groupBy(planned, toGroup)].map(([group, [first]]) => {
    const ran = steps.filter((step) => toGroup(step) === group);
    const { tool, folder } = first!;
    return { tool, folder, state: toState(ran), durationMs: ran.reduce((sum, step) => sum + step.durationMs, 0) };
  });
}

function toState(ran: readonly FetchedStep[]): FetchedTool['state'] {
  if (ran.length === 0) return 'skipped';
  const failed = ran.find(({ outcome }) => outcome !== 'ok');
  if (!failed) return 'done';
  if (failed.outcome === 'denied' || failed.outcome === 'cancelled') return failed.outcome;
  if (NOT_FOUND.test(failed.output)) return 'missing';
  return failed.network ? 'failed' : 'unbuilt';
}

function toReason(tools: readonly FetchedTool[]): string {
  const states = tools.filter(({ state }) => state !== 'skipped');
  return `${states.map(({ tool, folder, state }) => `${tool}${folder === '' ? '' : ` in ${folder}`}: ${state}`).join(', ')}.`;
}
