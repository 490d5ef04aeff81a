import { readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ExecResult } from '@klaus/core/agent';
import { parseHostRule, planFetch, toFetchHosts, type FetchStep } from '@klaus/core/policy';
import { isCallOutput, KlausError, type Event, type EventOf } from '@klaus/core/protocol';
import { findRegistries } from '@klaus/adapters/sandboxes';
import { createKlaus } from '../create-klaus.ts';
import type { Klaus } from '../klaus.ts';
import type { KlausOptions } from '../klaus-options.ts';
import type { Session } from '../sessions/session-handle.ts';
import { startModelServer } from '../models/model-server.ts';

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

export interface Fetched {
  /** The session that recorded it. */
  session: string;
  /** The executed steps, in order. */
  steps: FetchedStep[];
  /** Cache entries for later sessions of the workspace. */
  kept: number;
}

/** The steps that download the dependencies of a folder. */
export function planFetchOf(workspace: string): FetchStep[] {
  const list = (folder: string) => readdirSync(join(workspace, folder), { withFileTypes: true });
  const root = list('');
  const toNames = (entries: typeof root) => entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
  const below = root.filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name)).map(({ name }) => name);
  return planFetch(new Map([['', toNames(root)], ...below.map((name) => [name, toNames(list(name))] as const)]));
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
  const server = await serve(options.steps);
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
      model: 'scripted/fetch',
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
  const steps = await follow(klaus, session, options);
  const { saveDownloads } = await import('@klaus/adapters/sandboxes');
  const kept = saveDownloads(klaus.home, { workspace, session: session.id });
  if (options.signal?.aborted) throw new KlausError('cancelled', 'Stopped before everything was downloaded.');
  return { session: session.id, steps, kept };
}

function serve(steps: readonly FetchStep[]) {
  const calls = steps.map(({ command, folder, network }) => ({
    name: 'run_command',
    input: { command, network, timeoutMs: STEP_MS, ...(folder === '' ? {} : { cwd: folder }) },
  }));
  return startModelServer({
    script: {
      price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      steps: [{ when: { turn: 0, tools: true }, reply: { calls } }],
      fallback: { text: 'Fetched.' },
    },
  });
}

/** Works on the session until it is done. Approves only the steps. */
async function follow(klaus: Klaus, session: Session, options: FetchOptions): Promise<FetchedStep[]> {
  const { steps, onStart, onOutput, signal } = options;
  const fetched: FetchedStep[] = [];
  const note = (event: Event): void => {
    const step = 'index' in event && event.name === 'run_command' ? steps[event.index] : undefined;
    if (!step) return;
    if (event.type === 'tool.started') onStart?.(step);
    if (event.type !== 'tool.finished') return;
    const { outcome, output, durationMs, detail } = event;
    const { refusedHosts = [] } = (detail ?? {}) as Pick<ExecResult, 'refusedHosts'>;
    fetched.push({ ...step, outcome, output, durationMs, refused: refusedHosts });
  };
  const unsubscribe = session.subscribe(0, note);
  const unlisten = session.onLive((live) => {
    if (isCallOutput(live)) onOutput?.(live.text);
  });
  const cancel = (): void => void session.send({ type: 'cancel', by: 'sdk', reason: 'stopped by the user' });
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    await session.prompt('Fetch the dependencies', { onAsk: 'wait' });
    for (;;) {
      const result = await session.advance();
      if (result.state !== 'parked') return fetched;
      for (const { approval, subject } of result.approvals) {
        const isMeant = subject.kind === 'call' && steps.some(({ command }) => command === subject.command);
        await klaus.answer(approval, isMeant ? 'approved' : 'rejected', { by: 'fetch' });
      }
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    unlisten();
    unsubscribe();
  }
}
