import type { GivenServer, ModelServers, ServerCheck } from '@klaus/sdk';
import { messageOf } from '@klaus/sdk/message-of';
import { toLine } from '@klaus/sdk/printable';
import type { Questions } from '../prompt/questions.ts';

/** Most models of a server that are offered. */
const MAX_OFFERED = 20;
/** The choice of a model that is not offered. */
const OTHER = '';

/** What a test found, or what the user does after one that failed. */
type Tested = { models: readonly string[] } | 'change' | 'cancel';

/**
 * Asks for a compatible server by its base URL, tests it, and stores it as an entry of `servers`. Its model becomes that of
 * new sessions.
 *
 * @returns The full name of the model. Undefined: the user cancelled.
 */
export async function setUpServer(questions: Questions, servers: ModelServers): Promise<string | undefined> {
  for (;;) {
    const server = await askServer(questions);
    if (server === undefined) return undefined;
    const listed = await test(questions, servers, server);
    if (listed === 'cancel') return undefined;
    if (listed === 'change') continue;
    const model = await askModel(questions, listed.models);
    if (model === undefined) return undefined;
    const tested = await test(questions, servers, { ...server, model });
    if (tested === 'cancel') return undefined;
    if (tested === 'change') continue;
    const name = toName(new URL(server.baseUrl), new Set((await servers.list()).map((each) => each.name)));
    await servers.add(name, { ...server, model }, true);
    return `${name}/${model}`;
  }
}

async function askServer(questions: Questions): Promise<Omit<GivenServer, 'model'> | undefined> {
  const baseUrl = await questions.text('Base URL, such as http://127.0.0.1:8000/v1', (text) =>
    /^https?:$/.test(URL.parse(text)?.protocol ?? '')
      ? undefined
      : 'Write an address that begins with http:// or https://.',
  );
  if (baseUrl === undefined) return undefined;
  const wire = await questions.select('Format of its requests', [
    { value: 'chat', label: 'Chat completions of OpenAI', hint: 'most servers' },
    { value: 'responses', label: 'Responses of OpenAI' },
    { value: 'messages', label: 'Messages of Anthropic' },
  ]);
  if (wire === undefined) return undefined;
  const key = await questions.secret('Key of the server (Enter: it needs none)', () => undefined);
  if (key === undefined) return undefined;
  return { baseUrl, wire, ...(key === '' ? {} : { key }) };
}

async function test(questions: Questions, servers: ModelServers, server: GivenServer): Promise<Tested> {
  const messages =
    server.model === undefined
      ? { doing: 'Reading the list of its models', done: 'The server was asked for its models' }
      : { doing: 'Testing the model', done: 'The model was tested' };
  const checked = await questions.wait(messages, async (): Promise<ServerCheck> => {
    try {
      return await servers.check(server);
    } catch (error) {
      return { result: 'unknown', message: messageOf(error), models: [] };
    }
  });
  if (checked.result === 'accepted') return checked;
  questions.warn(toLine(checked.message, 300));
  const next = await questions.select('What now?', [
    { value: 'change', label: 'Change the server' },
    server.model === undefined
      ? { value: 'go-on', label: 'Name a model', hint: 'for a server that lists none' }
      : { value: 'go-on', label: 'Store it as it is' },
    { value: 'cancel', label: 'Cancel' },
  ]);
  return next === 'go-on' ? checked : (next ?? 'cancel');
}

async function askModel(questions: Questions, models: readonly string[]): Promise<string | undefined> {
  if (models.length > 0) {
    const offered = models.slice(0, MAX_OFFERED).map((id) => ({ value: id, label: toLine(id, 200) }));
    const chosen = await questions.select('Model', [...offered, { value: OTHER, label: 'Another model' }]);
    if (chosen !== OTHER) return chosen;
  }
  return await questions.text('Id of the model', (text) =>
    text === '' ? 'Write the id as the server knows it.' : undefined,
  );
}

/** A name that no other server has, from the host or, on this machine, the port. */
function toName({ hostname, port }: URL, taken: ReadonlySet<string>): string {
  const host = /^[\d.]+$|^\[|^localhost$/.test(hostname) ? port : hostname.replace(/^api\./, '');
  const words = host.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const first = words === '' ? 'server' : `server-${words}`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (!taken.has(name)) return name;
  }
}
