import { basename } from 'node:path';
import {
  NO_LIMITS,
  type AnswerOptions,
  type Event,
  type EventOf,
  type Klaus,
  type KlausOptions,
  type Limits,
} from '@klaus/sdk';
import { findWrapModel } from '@klaus/sdk/wrap';
import { findCommand } from './find-command.ts';
import { toSetup } from './programs.ts';
import { openTerminal, type Terminal } from './terminal.ts';
import { createWrapRunner, type ProgramEnd, type WrappedProgram } from './wrap-runner.ts';

/** The answer of a user to a question about changes. */
export type WrapReply =
  | { kind: 'approved' | 'rejected'; options: AnswerOptions }
  /** The question remains open, and nothing is applied now. */
  | { kind: 'later' };

export interface WrapOptions {
  /** The program with its arguments. */
  command: readonly string[];
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Name of the program, if its file has another one. */
  as?: string;
  /** Absolute path of a folder whose files are copied into the home folder of the program. */
  home?: string;
  model?: string;
  limits: Partial<Limits>;
  /** Hosts that providers of models may reach for the program; `*`: all. Default: none. */
  allowNet?: readonly string[];
  /** The program works on a layer, and this asks about each change after its end. Default: it changes the files directly. */
  review?: (question: EventOf<'approval.asked'>, signal: AbortSignal) => Promise<WrapReply>;
  /** Aborted: the program is ended. */
  signal: AbortSignal;
  openKlaus(options: Pick<KlausOptions, 'wrapRunner' | 'tools'>): Promise<Klaus>;
}

export interface Wrapped extends ProgramEnd {
  session: string;
  /** US dollars; null if a price is not known. */
  usd: number | null;
  /** Number of changed files. */
  changes: number;
}

/** Runs a program in the sandbox, with the user's terminal, until it ends. @throws KlausError. */
export async function wrap(options: WrapOptions): Promise<Wrapped> {
  const { cwd, env, limits, review } = options;
  const found = findCommand(options.command, { path: env['PATH'], cwd });
  const terminal = openTerminal(env);
  const ready: { klaus?: Klaus; program?: WrappedProgram } = {};
  const { runner, tool, end, close } = createWrapRunner({
    open: () => ({ configuration: ready.klaus!.configuration, program: ready.program! }),
    ...{ home: options.home, terminal },
  });
  await using klaus = await options.openKlaus({ wrapRunner: runner, tools: [tool] });
  const model = await findWrapModel(klaus.configuration, options.model);
  const name = options.as ?? basename(found[0]!);
  const allowNet = (options.allowNet ?? []).flatMap((words) => words.split(',')).map((word) => word.trim());
  const reachesAll = allowNet.includes('*');
  const { args, ...setup } = toSetup(name, {
    model,
    isChosen: options.model !== undefined,
    workspace: cwd,
    reachesAll,
  });
  const [program, ...rest] = found as [string, ...string[]];
  Object.assign(ready, { klaus, program: { command: [program, ...args, ...rest], ...setup } });
  const session = await klaus.open({
    wrap: [name, ...options.command.slice(1)],
    workspace: cwd,
    mode: 'auto',
    sandbox: 'bubblewrap',
    isolate: review !== undefined,
    limits: { ...NO_LIMITS, ...limits },
    ...(reachesAll ? { grant: EVERYWHERE } : { allowNet }),
  });
  const cancel = (): void => void session.send({ type: 'cancel', by: 'user' });
  options.signal.addEventListener('abort', cancel, { once: true });
  if (options.signal.aborted) cancel();
  const stopAsking = review ? askAbout(session, klaus, { ...options, review, terminal }) : undefined;
  try {
    await session.prompt(`klaus wrap -- ${options.command.join(' ')}`, { onAsk: review ? 'wait' : 'deny' });
    await session.advance();
  } finally {
    stopAsking?.();
    options.signal.removeEventListener('abort', cancel);
    close();
    terminal.restore(end.exitCode === undefined);
  }
  return { ...end, session: session.id, ...(await readResult(session)) };
}

/** The default of a session, and every host. */
const EVERYWHERE = ['file-operations', 'code-execution', 'web-access'];

type Session = Awaited<ReturnType<Klaus['open']>>;

function askAbout(
  session: Session,
  klaus: Klaus,
  { review, signal, terminal }: WrapOptions & { review: NonNullable<WrapOptions['review']>; terminal: Terminal },
): () => void {
  return session.subscribe(0, (event: Event) => {
    if (event.type !== 'approval.asked') return;
    terminal.restore(false);
    void review(event, signal).then(async (reply) => {
      if (reply.kind === 'later') return session.send({ type: 'cancel', by: 'user' });
      return klaus.answer(event.approval, reply.kind, { by: 'user', raise: true, ...reply.options });
    });
  });
}

async function readResult(session: Session): Promise<Pick<Wrapped, 'usd' | 'changes'>> {
  let usd: number | null = 0;
  for await (const event of session.events()) if (event.type === 'run.finished') usd = event.usd;
  const changes = await session.turnChanges('all').then(
    (turn) => turn.changes.length,
    () => 0,
  );
  return { usd, changes };
}
