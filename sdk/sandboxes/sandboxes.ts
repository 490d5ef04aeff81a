import type * as drivers from '@klaus/adapters/sandboxes';
import { isCallOutput, SERVICE_MODELS, type EventOf, type SandboxName } from '@klaus/core/protocol';
import { toHome } from '../config/home.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { toKubernetesOptions } from '../engine/engine-settings.ts';
import { createKlaus } from '../create-klaus.ts';
import type { Klaus } from '../klaus.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { startModelServer } from '../models/model-server.ts';
import type { Session } from '../sessions/session-handle.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Builds the image of the Docker sandbox from the programs of this machine, without a network.
 *
 * @throws KlausError `sandbox.unavailable`, `sandbox.failed`.
 */
export async function buildSandboxImage(options?: drivers.BuildImageOptions): Promise<drivers.BuiltImage> {
  const { buildImage } = await import('@klaus/adapters/build-image');
  return await buildImage(options);
}

/**
 * The sandboxes of this machine; with the setting `sandbox.driver: kubernetes` also the pods of the namespace.
 *
 * @param env Names the state folder. Default: that of the process.
 * @throws KlausError `config`, and `sandbox.unavailable` and `sandbox.failed` of Kubernetes.
 */
export async function listSandboxes(env: Env = process.env): Promise<drivers.ListedSandbox[]> {
  const drivers = await import('@klaus/adapters/list-sandboxes');
  return await drivers.listSandboxes(toHome(env, process.cwd()), await findKubernetes(env));
}

/** Removes the containers and pods that no Klaus process uses any more. Returns them. @throws KlausError As {@link listSandboxes}. */
export async function pruneSandboxes(env: Env = process.env): Promise<drivers.ListedSandbox[]> {
  const drivers = await import('@klaus/adapters/list-sandboxes');
  return await drivers.pruneSandboxes(await findKubernetes(env));
}

async function findKubernetes(env: Env): Promise<drivers.ListSandboxesOptions> {
  const cwd = process.cwd();
  const configuration = await loadConfiguration({ env, home: toHome(env, cwd), cwd });
  return configuration.get('sandbox.driver') === 'kubernetes' ? { kubernetes: toKubernetesOptions(configuration) } : {};
}

export interface SandboxRunOptions extends Pick<KlausOptions, 'home' | 'env' | 'settings' | 'onNotice'> {
  /** A line for `/bin/sh -c`. */
  command: string;
  /** The session in whose sandbox it runs, or a prefix of its id. Default: a new session. */
  session?: string;
  /** The folder of the new session. Default: the current folder. */
  workspace?: string;
  /** The driver of the new session. Default: the configured one. */
  sandbox?: SandboxName;
  /** Receives the output. */
  onOutput?: (text: string) => void;
  signal?: AbortSignal;
}

export interface SandboxRun {
  /** The session that recorded it. */
  session: string;
  driver: SandboxName;
  outcome: EventOf<'tool.finished'>['outcome'];
  /** Undefined if the command was denied, cancelled, or ended by a signal. */
  exitCode: number | undefined;
  /** The result as a model would see it. */
  output: string;
}

/**
 * Runs a command of the user in the sandbox of a session: through the gate, recorded, and without a model.
 *
 * @throws KlausError as `createKlaus`, `klaus.open` and `Session.send`.
 */
export async function runInSandbox(options: SandboxRunOptions): Promise<SandboxRun> {
  const { session: known, workspace, sandbox } = options;
  await using klaus = await createKlaus({
    home: options.home,
    env: options.env,
    onNotice: options.onNotice,
    cwd: workspace,
    // A session needs a model to be opened, and this one never asks it.
    ...(known === undefined ? { settings: { ...options.settings, model: SERVICE_MODELS.sandbox } } : {}),
    scripted: () => startModelServer({ script: { steps: [], fallback: { text: '' } } }),
  });
  const session = known === undefined ? await klaus.open({ workspace, sandbox }) : await klaus.session(known);
  let last = 0;
  let driver: SandboxName = 'bubblewrap';
  for await (const event of session.events()) {
    last = event.seq;
    if (event.type === 'session.opened') driver = event.sandbox;
  }
  const finished = await follow(klaus, session, { ...options, last });
  if (known === undefined) await markPrinted(klaus, session.id);
  const detail = (finished?.detail ?? {}) as { exitCode?: number | null };
  return {
    session: session.id,
    driver,
    outcome: finished?.outcome ?? 'denied',
    exitCode: detail.exitCode ?? undefined,
    output: finished?.output ?? '',
  };
}

/** The output was printed: the session does not wait for the attention of the user. */
export async function markPrinted({ store }: Klaus, session: string): Promise<void> {
  const { lastSeq: seq = 0 } = (await store.session(session)) ?? {};
  await store.markSeen({ session, seq });
}

/** Sends the command and works on the session until it has ended. The user who gave the command has approved it. */
async function follow(
  klaus: Klaus,
  session: Session,
  { command, onOutput, signal, last }: SandboxRunOptions & { last: number },
): Promise<EventOf<'tool.finished'> | undefined> {
  let finished: EventOf<'tool.finished'> | undefined;
  const unsubscribe = session.subscribe(last, (event) => {
    if (event.type === 'tool.finished') finished = event;
  });
  const unlisten = session.onLive((live) => {
    if (isCallOutput(live)) onOutput?.(live.text);
  });
  const cancel = (): void => void session.send({ type: 'cancel', by: 'sdk', reason: 'stopped by the user' });
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    await session.send({ type: 'shell', command, by: 'user', onAsk: 'wait' });
    for (;;) {
      const result = await session.advance();
      if (result.state !== 'parked') return finished;
      for (const { approval, subject } of result.approvals) {
        const isMeant = subject.kind === 'call' && subject.command === command;
        await klaus.answer(approval, isMeant ? 'approved' : 'rejected', { by: 'user' });
      }
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    unlisten();
    unsubscribe();
  }
}
