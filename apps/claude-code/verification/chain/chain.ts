import { createKlaus, type EventOf, type Klaus, type KlausOptions, type Session } from '@klaus/sdk';
import { SERVICE_MODELS } from '@klaus/sdk/service-models';
import { commitChanges, stageChanges } from '@klaus/sdk/verification';
import { StageFailure } from './failure.ts';
import type { Stage } from './result.ts';

/** Reports a step to the client. */
export type Report = (text: string) => void;

export interface ChainOptions {
  /** Real path of the folder in which everything runs. */
  folder: string;
  /** Options of the engine: state folder, environment, settings. */
  engine: Pick<KlausOptions, 'home' | 'env' | 'settings' | 'scripted' | 'onNotice'>;
  signal: AbortSignal;
  report: Report;
}

export type CallEnd = Pick<EventOf<'tool.finished'>, 'outcome' | 'output' | 'detail' | 'durationMs'>;

/** An engine for one request of a client: its calls go through the gate into one log. */
export interface Chain extends AsyncDisposable {
  readonly folder: string;
  readonly klaus: Klaus;
  readonly signal: AbortSignal;
  readonly report: Report;
  /**
   * Runs one call of a tool in the sandbox.
   *
   * @throws StageFailure `cancelled`, or `denied` with the reason of the gate.
   */
  call(stage: Stage, call: { name: string; input: Record<string, unknown> }): Promise<CallEnd>;
}

/** The model of a session that makes no request to one, so that no key is needed. */
const NO_MODEL = SERVICE_MODELS.verification;
const BY = 'mcp';
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** @throws KlausError `config`, `workspace.*`, `sandbox.unavailable`. */
export async function openChain({ folder, engine, signal, report }: ChainOptions): Promise<Chain> {
  const klaus = await createKlaus({
    ...engine,
    cwd: folder,
    tools: [stageChanges, commitChanges],
    endProcesses: 'run',
    scripted: async (name) => {
      if (`scripted/${name}` === NO_MODEL) return { url: 'http://127.0.0.1:9', price: FREE };
      if (engine.scripted) return engine.scripted(name);
      throw new Error(`There is no script ${name}.`);
    },
  });
  let session: Session | undefined;
  let seen = 0;
  const open = async (): Promise<Session> => {
    if (session) return session;
    session = await klaus.open({
      workspace: folder,
      model: NO_MODEL,
      mode: 'auto',
      isolate: false,
      checkpoint: 'manual',
      grant: ['file-operations', 'code-execution', 'deploy'],
    });
    await session.send({ type: 'change', title: `Verification of ${folder}` });
    return session;
  };
  return {
    folder,
    klaus,
    signal,
    report,
    async call(stage, { name, input }) {
      const used = await open();
      await used.send({ type: 'call', name, input: input as never, by: BY });
      const finished = await runToEnd(klaus, used, { signal, after: seen });
      seen = finished.seen;
      const end = finished.call;
      if (signal.aborted) throw new StageFailure({ stage, code: 'cancelled' }, 'The client cancelled the request.');
      if (!end) throw new StageFailure({ stage, code: 'internal' }, `The call of ${name} has no result.`);
      if (end.outcome === 'denied') throw new StageFailure({ stage, code: 'denied' }, end.output);
      return end;
    },
    [Symbol.asyncDispose]: () => klaus.close(),
  };
}

/** Works until the run has ended. A cancel ends its command, and the log says so. */
export async function runToEnd(
  klaus: Klaus,
  session: Session,
  { signal, after }: { signal: AbortSignal; after: number },
): Promise<{ call: CallEnd | undefined; finished: EventOf<'run.finished'> | undefined; seen: number }> {
  const cancel = (): void => void session.send({ type: 'cancel', by: BY, reason: 'The client cancelled the request.' });
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await session.advance();
  } finally {
    signal.removeEventListener('abort', cancel);
  }
  let call: CallEnd | undefined;
  let finished: EventOf<'run.finished'> | undefined;
  let seen = after;
  for await (const event of session.events(after)) {
    seen = event.seq;
    if (event.type === 'tool.finished') call = event;
    if (event.type === 'run.finished') finished = event;
  }
  // The client gets the result: it does not wait for the attention of the user.
  await klaus.store.markSeen({ session: session.id, seq: seen });
  return { call, finished, seen };
}
