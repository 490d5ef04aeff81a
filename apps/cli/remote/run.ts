import { randomBytes } from 'node:crypto';
import { optional } from '@klaus/sdk/optional';
import { toUlid } from '@klaus/sdk/ulid';
import { readStdin, toPromptParts } from '../prompt/prompt-input.ts';
import { describeContinued } from '../session/describe-continued.ts';
import type { Output } from '../output/output.ts';
import type { OnAsk, Part } from '@klaus/sdk';
import type { SessionDetail } from '@klaus/server/contract';
import { EXIT } from '../program/exit-codes.ts';
import { UsageError } from '../program/report-error.ts';
import { checkCombination, type RunOptions, toLimits, toWait } from '../program/run-options.ts';
import { canAsk, createOutput } from '../output/show-output.ts';
import { atServer, type RemoteServer } from './connect-server.ts';
import { followRun } from './follow-run.ts';
import { retrying } from './retrying.ts';

/** `klaus run --server`: one prompt, in a new session of a server or in an existing one. */
export async function runAt(words: readonly string[], options: RunOptions): Promise<number> {
  checkCombination(options);
  checkOptions(options);
  const output = createOutput(options);
  const stdin = await readStdin();
  return await atServer(options, async (server) => {
    if (server.warning !== undefined) output.note(server.warning, 'warn');
    const settings = await server.client.settings();
    const parts = toPromptParts({ words, stdin, maxChars: settings.maxPromptChars });
    const asked = toOnAsk(options, settings.onAsk);
    const sending: Sending = { server, parts, options, output, ...asked };
    const id = await findSession(server, options, { configured: settings.workspace, output });
    return id === undefined ? beginSession(sending) : sendTo(sending, { id, delivery: 'queue' });
  });
}

/** `klaus steer --server`. */
export async function steerAt(id: string, words: readonly string[], options: RunOptions): Promise<number> {
  const output = createOutput(options);
  const stdin = await readStdin();
  return await atServer(options, async (server) => {
    const settings = await server.client.settings();
    const parts = toPromptParts({ words, stdin, maxChars: settings.maxPromptChars });
    const asked = toOnAsk(options, settings.onAsk);
    return sendTo({ server, parts, options, output, ...asked }, { id, delivery: 'steer' });
  });
}

/** `klaus resume --server`. */
export async function resumeAt(id: string, options: RunOptions): Promise<number> {
  const output = createOutput(options);
  return await atServer(options, async (server) => {
    const { onAsk, asks } = toOnAsk(options, (await server.client.settings()).onAsk);
    const { id: session, lastSeq: after } = await server.client.session({ params: { id } });
    const limits = toLimits(options);
    const body = { onAsk, ...toWait(options), ...(Object.keys(limits).length > 0 ? { limits } : {}) };
    await server.client.resume({ params: { id: session }, body });
    return followRun({ server, session, after, show: options, output, asks });
  });
}

interface Sending {
  server: RemoteServer;
  parts: readonly Part[];
  options: RunOptions;
  output: Output;
  onAsk: OnAsk;
  asks: boolean;
}

function toRetry({ server, output }: Sending) {
  return {
    server,
    onWait: () => output.note(`The connection to ${server.name} broke; trying again for half a minute.`, 'warn'),
  };
}

function toPrompt({ parts, options, onAsk }: Sending) {
  return { command: toId(), parts: [...parts], onAsk, ...toWait(options), ...(options.pin ? { pin: true } : {}) };
}

/** A new id: a request that is sent again under the same id has one effect. */
function toId(): string {
  return toUlid(Date.now(), randomBytes(10));
}

async function beginSession(sending: Sending): Promise<number> {
  const { server, options, output, asks } = sending;
  const limits = toLimits(options);
  // Asked for twice under the same two ids, as after an answer that was lost, it is one session and one prompt.
  const body = {
    session: toId(),
    ...toPrompt(sending),
    ...optional({ workspace: options.cwd, model: options.model }),
    ...(options.approve ? { mode: options.approve } : {}),
    ...(options.sandbox ? { sandbox: options.sandbox } : {}),
    ...(options.isolate ? { isolate: true } : {}),
    ...(options.grant ? { grant: [...options.grant] } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
  const { session } = await retrying(toRetry(sending), () => server.client.openSession({ body }));
  const { workspace } = await retrying(toRetry(sending), () => server.client.session({ params: { id: session } }));
  output.note(`works at ${server.name} in ${workspace}`);
  return followRun({ server, session, after: 0, show: options, output, asks });
}

async function sendTo(
  sending: Sending,
  { id, delivery }: { id: string; delivery: 'steer' | 'queue' },
): Promise<number> {
  const { server, options, output, asks } = sending;
  const before = await server.client.session({ params: { id } });
  const { id: session, lastSeq: after } = before;
  const limits = toLimits(options);
  const change = {
    ...optional({ model: options.model }),
    ...(options.approve ? { mode: options.approve } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
  // First, because it is what can be refused: nothing may have changed then.
  if (Object.keys(change).length > 0) await server.client.changeSession({ params: { id: session }, body: change });
  const body = { ...toPrompt(sending), delivery };
  await retrying(toRetry(sending), () => server.client.sendPrompt({ params: { id: session }, body }));
  if (isAtWork(before)) {
    output.note(`The message waits in session ${session}: what works on it takes it.`);
    return EXIT.done;
  }
  return followRun({ server, session, after, show: options, output, asks, handedOver: 'The message' });
}

function isAtWork({ held, position }: SessionDetail): boolean {
  return held || position !== null;
}

/** As on this machine; what is configured is configured at the server. */
function toOnAsk(options: RunOptions, configured: OnAsk | null): { onAsk: OnAsk; asks: boolean } {
  const chosen = options.onAsk ?? configured;
  if (chosen) return { onAsk: chosen, asks: false };
  const asks = canAsk(options);
  return { onAsk: asks ? 'wait' : 'deny', asks };
}

/** @throws UsageError for what has no meaning elsewhere. */
function checkOptions({ cwd, set, allowAnyWorkspace, root, addDir }: RunOptions): void {
  if (cwd !== undefined && !cwd.startsWith('/')) {
    throw new UsageError(
      `With --server, --cwd names a folder on the machine of the server, and ${cwd} is no absolute path.`,
      'Give its absolute path, or leave it out: then the run works in the folder that klaus serve was begun for.',
    );
  }
  if (set) {
    throw new UsageError(
      '--set cannot change the settings of a server.',
      'klaus serve --set key=value sets them for the runs that begin there.',
    );
  }
  if (root !== undefined || addDir) {
    throw new UsageError(
      `${root === undefined ? '--add-dir' : '--root'} is not taken with --server.`,
      'Which folders commands can read is decided on the machine of the server (sandbox.folders).',
    );
  }
  if (allowAnyWorkspace) {
    throw new UsageError(
      '--allow-any-workspace is not taken with --server.',
      'Which folders a run may work in is decided on the machine of the server.',
    );
  }
}

/** The session that the options mean; undefined for a new one. */
async function findSession(
  { client, name }: RemoteServer,
  options: RunOptions,
  { configured, output }: { configured: string; output: Output },
): Promise<string | undefined> {
  if (options.session !== undefined) return options.session;
  if (!options.continue) return undefined;
  const workspace = options.cwd ?? configured;
  const { sessions } = await client.sessions({ query: { workspace, limit: 50 } });
  const latest = sessions.find(({ parent }) => parent === null);
  if (latest) {
    output.note(describeContinued(latest));
    return latest.id;
  }
  throw new UsageError(
    `There is no session of ${workspace} at ${name} yet.`,
    'klaus sessions --server … lists those of other folders.',
  );
}
