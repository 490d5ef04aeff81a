import { optional } from '@klaus/core/optional';
import { findPinProblem, loadState, redactCommand, applyQueuedCommands, type Engine } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import type { SessionStore } from '@klaus/core/agent';

/** A text that stays in the context of a session word for word. */
export interface PinnedText {
  id: string;
  text: string;
  /** Where it comes from, where it is not the user's own. */
  source?: string;
}

/** What pinning or unpinning came to. */
export interface PinResult {
  pin: string;
  /** False while a live process holds the session, or its last request waits to be settled: it is done then. */
  applied: boolean;
}

interface Parts {
  engine: Engine;
  store: SessionStore;
  session: string;
}

/** What is pinned in a session, oldest first. */
export async function pinsOf({ engine, session }: Pick<Parts, 'engine' | 'session'>): Promise<PinnedText[]> {
  const { pins } = await loadState(engine, session);
  return pins.map(({ id, text, source }) => ({
    id,
    text,
    ...optional({ source }),
  }));
}

/** @throws KlausError `usage` for a record without text, and for a text that is empty or too large. */
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
    state.pins.length > 0 ? { hint: `klaus pin ${session} lists what is pinned; klaus unpin makes room.` } : {};
  throw new KlausError('usage', problem, hint);
}

/** @throws KlausError `usage` for what is not pinned, and for the beginning of several ids. */
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
      hint: `klaus show ${session} --grep WORDS says where a text stands.`,
    });
  }
  return found.title === 'the user' ? { text: found.text } : { text: found.text, source: `${found.title}, seq ${seq}` };
}

/** Where no key reaches the model, whoever goes on with the session looks. */
async function toContextWindow(engine: Engine, model: string): Promise<number> {
  try {
    return (await engine.models.resolve(model)).info.contextWindow;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
