import {
  applyQueuedCommands,
  type Engine,
  findPinProblem,
  loadState,
  redactCommand,
  type SessionStore,
} from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';

/** A text that stays in the context of a session unchanged. */
export interface PinnedText {
  id: string;
  text: string;
  /** Its source, if it is not a text of the user. */
  source?: string;
}

/** The result of pinning or unpinning. */
export interface PinResult {
  pin: string;
  /** False while a live process holds the session, or a request is open: the change is applied later. */
  applied: boolean;
}

interface Parts {
  engine: Engine;
  store: SessionStore;
  session: string;
}

export async function pinsOf({ engine, session }: Pick<Parts, 'engine' | 'session'>): Promise<PinnedText[]> {
  const { pins } = await loadState(engine, session);
  return pins.map(({ id, text, source }) => ({ id, text, source }));
}

export async function pin(
  parts: Parts,
  given: string | { seq: number },
  { by = 'sdk' }: { by?: string } = {},
): Promise<PinResult> {
  const { engine, store, session } = parts;
  const found = typeof given === 'string' ? { text: given } : await findText(parts, given.seq);
  await checkPin(engine, session, found.text);
  const id = engine.ids.ulid();
  const command = { type: 'pin' as const, id, by, ...found };
  const workspace = (await store.session(session))?.workspace;
  const clean = workspace ? await redactCommand(engine, command, { session, workspace }) : command;
  await store.send(session, clean);
  await applyQueuedCommands(engine, session, ['pin']);
  return { pin: id, applied: (await pinsOf(parts)).some((row) => row.id === id) };
}

/** @throws KlausError `usage` when a text cannot be pinned in this session. */
export async function checkPin(engine: Engine, session: string, text: string): Promise<void> {
  const state = await loadState(engine, session);
  const problem = findPinProblem(state, text, await toContextWindow(engine, state.model));
  if (problem === undefined) return;
  const hint =
    state.pins.length > 0 ? { hint: `klaus pin ${session} lists the pinned texts; klaus unpin removes one.` } : {};
  throw new KlausError('usage', problem, hint);
}

export async function unpin(
  parts: Parts,
  idOrPrefix: string,
  { by = 'sdk' }: { by?: string } = {},
): Promise<PinResult> {
  const { engine, store, session } = parts;
  const found = (await pinsOf(parts)).filter((row) => row.id.startsWith(idOrPrefix.toUpperCase()));
  if (idOrPrefix === '' || found.length !== 1) {
    const what = found.length > 1 ? 'Several pins begin with' : 'There is no pin';
    throw new KlausError('usage', `${what} ${idOrPrefix}.`, { hint: `klaus pin ${session} lists them.` });
  }
  const { id } = found[0]!;
  await store.send(session, { type: 'unpin', id: engine.ids.ulid(), pin: id, by });
  await applyQueuedCommands(engine, session, ['unpin']);
  return { pin: id, applied: !(await pinsOf(parts)).some((row) => row.id === id) };
}

async function findText({ store, session }: Parts, seq: number): Promise<{ text: string; source?: string }> {
  const found = await store.recall(session).read(seq, { max: Number.POSITIVE_INFINITY });
  if (!found) {
    throw new KlausError('usage', `Record ${seq} of session ${session} has no text.`, {
      hint: `klaus show ${session} --grep WORDS shows the position of a text.`,
    });
  }
  return found.title === 'the user' ? { text: found.text } : { text: found.text, source: `${found.title}, seq ${seq}` };
}

/** Without access to the model, the process that resumes the session checks the size. */
async function toContextWindow(engine: Engine, model: string): Promise<number> {
  try {
    return (await engine.models.resolve(model)).info.contextWindow;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
