import { realpathSync } from 'node:fs';
import type { SessionStates } from '@klaus/sdk/session-states';
import { isServiceModel } from '@klaus/sdk/service-models';
import { messageOf } from '@klaus/sdk/message-of';
import { toPrintable } from '@klaus/sdk/printable';
import { err } from '../output/sink.ts';
import { CliError, UsageError } from '../program/cli-error.ts';

/**
 * The sessions of this machine, for commands that only read their states. The engine is loaded only for a database of
 * an earlier version, which it converts.
 *
 * @returns Undefined if there are none yet.
 * @throws CliError `store.corrupt`.
 */
export async function openStates(): Promise<SessionStates | undefined> {
  const [{ toHome }, { openSessionStates }] = await Promise.all([
    import('@klaus/sdk/home'),
    import('@klaus/sdk/session-states'),
  ]);
  const home = toHome(process.env, process.cwd());
  try {
    return withCodes(openSessionStates(home));
  } catch {
    const { openKlaus } = await import('./open-klaus.ts');
    await (await openKlaus())[Symbol.asyncDispose]();
  }
  return withCodes(guard(openSessionStates)(home));
}

function withCodes(states: SessionStates | undefined): SessionStates | undefined {
  if (states === undefined) return undefined;
  const { list, listShort, get, match, events, attention } = states;
  return {
    ...states,
    list: guard(list),
    listShort: (query, toItem) => guard(() => listShort(query, toItem))(),
    get: guard(get),
    match: guard(match),
    events: guard(events),
    attention: guard(attention),
  };
}

/** The same function, whose errors have a code. */
function guard<Given extends unknown[], Result>(read: (...given: Given) => Result): (...given: Given) => Result {
  return (...given) => {
    try {
      return read(...given);
    } catch (cause) {
      const message = messageOf(cause);
      const hint = '`klaus doctor` checks the database.';
      throw new CliError('store.corrupt', `The sessions cannot be read: ${message}.`, { hint, cause });
    }
  };
}

/**
 * The full ids of the sessions that a command line names by their beginnings or titles, without repetitions.
 *
 * @throws UsageError for one that no session or several sessions have.
 */
async function toSessionIds(states: SessionStates | undefined, given: readonly string[]): Promise<string[]> {
  const { fitTitle } = await import('@klaus/sdk/session-states');
  const ids = given.map((text) => {
    const matched = states?.match(text) ?? [];
    const [id, ...others] = matched.length > 0 ? matched : fitTitle(text, states?.list() ?? []).map((each) => each.id);
    if (id === undefined) throw new UsageError(`There is no session ${text}.`, '`klaus sessions` lists them.');
    if (others.length === 0) return id;
    throw new UsageError(
      `Several sessions begin with "${text}": ${[id, ...others].join(', ')}.`,
      'Give more characters of the id or the title.',
    );
  });
  return [...new Set(ids)];
}

/**
 * The full ids of the given sessions. Without any, that of the latest session of this folder, which is printed.
 *
 * @throws UsageError as {@link toSessionIds}, and if no session has worked in this folder.
 */
export async function chooseSessionIds(states: SessionStates | undefined, given: readonly string[]): Promise<string[]> {
  if (given.length > 0) return await toSessionIds(states, given);
  const folder = realpathSync(process.cwd());
  const latest = states
    ?.list()
    .find(({ workspace, parent, model }) => workspace === folder && parent === null && !isServiceModel(model));
  if (latest === undefined)
    throw new UsageError('No session has worked in this folder.', '`klaus sessions` lists all of them.');
  const title = latest.title ?? latest.firstPrompt;
  err.write(`Session ${latest.id}${title ? `, ${toPrintable(title)}` : ''}\n`);
  return [latest.id];
}
