import { realpathSync } from 'node:fs';
import type { Klaus, OnAsk, Part, Session } from '@klaus/sdk';
import { formatNumber } from '@klaus/sdk/transcript';
import { describeContinued } from '../../session/describe-continued.ts';
import { warnOfInterrupted } from '../../session/interrupted.ts';
import { openKlaus, toFolder } from '../../session/open-klaus.ts';
import type { Output } from '../../output/output.ts';
import { readStdin, toPromptParts } from '../../prompt/prompt-input.ts';
import { UsageError } from '../../program/report-error.ts';
import { toGivenServer } from '../../program/server-option.ts';
import {
  checkCombination,
  type RunOptions,
  toGivenSettings,
  toLimits,
  toSettings,
  toWait,
} from '../../program/run-options.ts';
import { canAsk, createOutput } from '../../output/show-output.ts';
import { runSession } from '../../session/run-session.ts';

/** `klaus "prompt"` and `klaus run`: one prompt, in a new session or in an existing one. */
export async function run(words: readonly string[], options: RunOptions): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../../remote/run.ts')).runAt(words, options);
  checkCombination(options);
  const output = createOutput(options);
  const stdin = await readStdin();
  const settings =
    options.session === undefined && options.continue === undefined
      ? toSettings(options)
      : {
          ...toGivenSettings(options),
          'retry.waitMs': options.waitForModel,
          ...(options.onAsk ? { onAsk: options.onAsk } : {}),
        };
  await using klaus = await openKlaus({ cwd: options.cwd, settings, onNotice: (text) => output.note(text) });
  const parts = toPromptParts({ words, stdin, maxChars: klaus.configuration.get('maxPromptChars') });

  const existing = await findSession(klaus, options);
  if (existing === undefined && canAsk(options) && (await isFirst(klaus))) output.note(describeLimits(klaus));
  const session = existing ?? (await openSession(klaus, options));
  if (options.continue)
    output.note(describeContinued({ id: session.id, title: (await klaus.store.session(session.id))?.title }));
  const warning = existing === undefined ? await warnOfInterrupted(klaus, session.id) : undefined;
  if (warning !== undefined) output.note(warning);
  return await sendPrompt({
    klaus,
    session,
    parts,
    options,
    output,
    after: existing === undefined ? 0 : await lastSeq(klaus, existing),
    delivery: 'queue',
  });
}

/** True where nothing was ever done, and nobody set a limit. */
async function isFirst({ store, configuration }: Klaus): Promise<boolean> {
  const { sources } = configuration;
  const isSet = [sources['limits.toolCalls'], sources['limits.tokens']].some(({ source }) => source !== 'default');
  return !isSet && (await store.sessions({ limit: 1 })).length === 0;
}

function describeLimits({ configuration }: Klaus): string {
  const calls = formatNumber(configuration.get('limits.toolCalls'), 'tool call');
  const tokens = formatNumber(configuration.get('limits.tokens'), 'token');
  return `A session may make ${calls} and use ${tokens}; then you are asked. klaus init sets your own limits.`;
}

interface SendPromptOptions {
  klaus: Klaus;
  session: Session;
  parts: readonly Part[];
  options: RunOptions;
  output: Output;
  after: number;
  delivery: 'steer' | 'queue';
}

/** Sends a prompt with whatever changes the session before it, then works on it here if nobody else does. */
export async function sendPrompt({
  klaus,
  session,
  parts,
  options,
  output,
  after,
  delivery,
}: SendPromptOptions): Promise<number> {
  const { onAsk, asks } = toOnAsk(klaus, options);
  if (after > 0) {
    const change = {
      ...(options.model && { model: options.model }),
      ...(options.approve && { mode: options.approve }),
    };
    // First, because it is what can be refused: nothing may have changed then.
    if (Object.keys(change).length > 0) await session.send({ type: 'change', ...change });
    const limits = toLimits(options);
    if (Object.keys(limits).length > 0) await session.send({ type: 'limits', limits });
  }
  await session.prompt(parts, { onAsk, delivery, ...toWait(options), ...(options.pin && { pin: true }) });
  return runSession({
    klaus,
    session,
    after,
    show: options,
    output,
    asks,
    ...(after > 0 && { handedOver: 'The message' }),
  });
}

/** A question goes to the person at the terminal; without one it is refused unless the user chose to wait. */
export function toOnAsk(klaus: Klaus, options: RunOptions): { onAsk: OnAsk; asks: boolean } {
  const chosen = klaus.configuration.get('onAsk');
  if (chosen !== undefined) return { onAsk: chosen, asks: false };
  const asks = canAsk(options);
  return { onAsk: asks ? 'wait' : 'deny', asks };
}

async function findSession(klaus: Klaus, options: RunOptions): Promise<Session | undefined> {
  if (options.session !== undefined) return await klaus.session(options.session);
  if (!options.continue) return undefined;
  const folder = realpathSync(options.cwd === undefined ? klaus.configuration.get('workspace') : toFolder(options.cwd));
  const at = { workspace: folder, ...(options.root !== undefined && { root: options.root }) };
  const latest = await klaus.latest({ with: 'prompts', ...at });
  if (latest) return latest;
  const other = await klaus.store.latestSession(folder);
  if (other === undefined) {
    throw new UsageError(
      `There is no session of ${folder} yet.`,
      'klaus sessions lists those of other folders; klaus "prompt" begins one.',
    );
  }
  throw new UsageError(
    `No session of ${folder} reads the same folders around it as a new one would.`,
    `Name its --root, or the session: klaus --session ${other.id} "prompt"`,
  );
}

function openSession(klaus: Klaus, options: RunOptions): Promise<Session> {
  return klaus.open({
    ...(options.cwd !== undefined && { workspace: toFolder(options.cwd) }),
    allowAnyWorkspace: options.allowAnyWorkspace ?? false,
    ...(options.root !== undefined && { root: options.root }),
    ...(options.grant && { grant: options.grant }),
  });
}

/** Sequence number of a session's last event; 0 when there is none. */
export async function lastSeq(klaus: Klaus, session: Session): Promise<number> {
  return (await klaus.store.session(session.id))?.lastSeq ?? 0;
}
