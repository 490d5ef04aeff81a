import type { SessionStates } from '@klaus/sdk/session-states';
import { messageOf } from '@klaus/sdk/message-of';
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
 * The full ids of the sessions that a command line names by their beginnings, without repetitions.
 *
 * @throws UsageError for one that no session or several sessions have.
 */
export function toSessionIds(states: SessionStates | undefined, given: readonly string[]): string[] {
  const ids = given.map((prefix) => {
    const [id, ...others] = states?.match(prefix) ?? [];
    if (id === undefined) throw new UsageError(`There is no session ${prefix}.`, '`klaus sessions` lists them.');
    if (others.length === 0) return id;
    throw new UsageError(
      `Several sessions begin with "${prefix}": ${[id, ...others].join(', ')}.`,
      'Give more characters of the id.',
    );
  });
  return [...new Set(ids)];
}
