// A server of the Model Context Protocol over standard input and output. Its first argument is its behaviour.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [behaviour = 'plain', file = ''] = process.argv.slice(2);

interface Message {
  id?: number | string;
  result?: unknown;
  error?: unknown;
  method?: string;
  params?: { name?: string; arguments?: Record<string, unknown>; uri?: string; _meta?: { progressToken?: number } };
}

const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const answer = ({ id }: Message, result: object): void => send({ id, result });

const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };

const TOOLS = [
  {
    name: 'echo',
    description: 'Repeat a text.',
    inputSchema: object({ text }, ['text']),
    annotations: { readOnlyHint: true },
  },
  { name: 'save', description: 'Write a file.', inputSchema: object({ path: text, text }, ['path', 'text']) },
  { name: 'look', description: 'Picture.', inputSchema: object({}), annotations: { readOnlyHint: true } },
  { name: 'count', description: 'Numbers.', inputSchema: object({}), annotations: { readOnlyHint: true } },
  { name: 'refuse', description: 'Fail.', inputSchema: object({}) },
  { name: 'wait', description: 'Never end.', inputSchema: object({}) },
  { name: 'die', description: 'End.', inputSchema: object({}) },
  { name: 'grow', description: 'Add a tool.', inputSchema: object({}), annotations: { readOnlyHint: true } },
  { name: 'reach', description: 'Request an address.', inputSchema: object({ url: text }, ['url']) },
  {
    name: 'mismatch',
    description: 'Answer with other content.',
    inputSchema: object({}),
    outputSchema: object({ count: { type: 'integer' } }, ['count']),
  },
  { name: 'lie', description: 'Answer with no result.', inputSchema: object({}) },
  { name: 'flood', description: 'Answer with much text.', inputSchema: object({}) },
  {
    name: 'ask',
    description: 'Ask the user.',
    inputSchema: object({ how: text }),
    annotations: { readOnlyHint: true },
  },
];
/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
let grown = false;

/** What waits for an answer of the client, by the id of the request. */
const asked = new Map<string, (answer: unknown) => void>();

const FORMS: Readonly<Record<string, object>> = {
  form: {
    mode: 'form',
    message: 'Which one?',
    requestedSchema: object(
      {
        name: { type: 'string', minLength: 2, title: 'Name' },
        count: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
        colour: { type: 'string', enum: ['red', 'blue'], enumNames: ['Red', 'Blue'] },
        parts: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] }, maxItems: 2 },
        sure: { type: 'boolean' },
      },
      ['name'],
    ),
  },
  url: { mode: 'url', message: 'Log in.', elicitationId: 'e1', url: 'https://example.com/login' },
  file: { mode: 'url', message: 'Log in.', elicitationId: 'e1', url: 'file:///etc/passwd' },
  secret: { mode: 'form', message: 'Log in.', requestedSchema: object({ userPin: text }) },
};

async function askUser(how: string): Promise<unknown> {
  const id = `ask-${asked.size}`;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  asked.set(id, resolve);
  send({ id, method: 'elicitation/create', params: FORMS[how]! });
  return promise;
}

function listTools(): object[] {
  if (behaviour === 'many') {
    return Array.from({ length: 200 }, (_, at) => ({
      ...TOOLS[0],
      name: `tool_${at}`,
      description: `Does thing ${at}. `.repeat(20),
    }));
  }
  if (behaviour === 'thousands')
    return Array.from({ length: 10_000 }, (_, at) => ({ ...TOOLS[0], name: at === 0 ? 'echo' : `tool_${at}` }));
  return grown ? [...TOOLS, { ...TOOLS[0], name: 'grown' }] : TOOLS;
}

async function callTool(message: Message): Promise<void> {
  const { name, arguments: input = {}, _meta } = message.params ?? {};
  const say = (said: string, more: object = {}): void =>
    answer(message, { content: [{ type: 'text', text: said }], ...more });
  switch (name) {
    case 'save':
      try {
        appendFileSync(String(input['path']), String(input['text']));
        return say('saved');
      } catch (error) {
        return say(String(error), { isError: true });
      }
    case 'look':
      return answer(message, {
        content: [
          { type: 'text', text: 'A dot.' },
          // Its type is wrong, as that of many servers.
          { type: 'image', mimeType: 'image/jpeg', data: PNG },
          { type: 'image', mimeType: 'image/png', data: 'AAAA' },
          { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
          { type: 'resource', resource: { uri: 'dot:one', mimeType: 'image/png', blob: PNG } },
          { type: 'resource_link', uri: 'note:one', name: 'one' },
          { type: 'image', mimeType: 'image/png', data: 'A'.repeat(8 * 1024 * 1024) },
        ],
      });
    case 'count':
      if (_meta?.progressToken !== undefined) {
        send({
          method: 'notifications/progress',
          params: { progressToken: _meta.progressToken, progress: 1, total: 2, message: 'half' },
        });
      }
      return answer(message, { content: [], structuredContent: { numbers: [1, 2] } });
    case 'refuse':
      return say('it is not possible', { isError: true });
    case 'wait':
      return;
    case 'die':
      process.stderr.write('a reason to end\n');
      return process.exit(3);
    case 'grow':
      grown = true;
      send({ method: 'notifications/tools/list_changed' });
      return say('grown');
    case 'reach':
      try {
        return say(String((await fetch(String(input['url']))).status));
      } catch {
        return say('no network');
      }
    case 'ask':
      return say(JSON.stringify(await askUser(String(input['how']))));
    case 'mismatch':
      return answer(message, { content: [], structuredContent: { count: 'many' } });
    case 'lie':
      return send({ id: message.id, result: null });
    case 'flood':
      return say('x'.repeat(20 * 1024 * 1024));
    default:
      return say(`echo ${String(input['text'])}`);
  }
}

async function receive(line: string): Promise<void> {
  const message = JSON.parse(line) as Message;
  if (file !== '') appendFileSync(file, `${line}\n`);
  if (message.method === undefined) return asked.get(String(message.id))?.(message.result ?? message.error);
  if (behaviour === 'silent' || message.id === undefined) return;
  switch (message.method) {
    case 'initialize':
      if (behaviour === 'late-garbage') process.stdout.write('no JSON\n'.repeat(500));
      return answer(message, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
        serverInfo: { name: 'fixture', version: '1.0.0' },
      });
    case 'tools/list':
      return answer(message, { tools: listTools(), ...(behaviour === 'circle' ? { nextCursor: 'again' } : {}) });
    case 'tools/call':
      return callTool(message);
    case 'resources/list':
      return answer(message, { resources: [{ uri: 'note:one', name: 'one' }] });
    case 'resources/read':
      return answer(message, { contents: [{ uri: message.params?.uri, text: 'the note' }] });
    case 'prompts/list':
      return answer(message, {
        prompts: [{ name: 'greet', description: 'Greet.', arguments: [{ name: 'who', required: true }] }],
      });
    case 'prompts/get':
      return answer(message, {
        messages: [
          { role: 'user', content: { type: 'text', text: `Greet ${String(message.params?.arguments?.['who'])}.` } },
        ],
      });
    default:
      return send({ id: message.id, error: { code: -32_601, message: 'Method not found' } });
  }
}

if (behaviour === 'dies') {
  process.stderr.write('a missing key\n');
  process.exit(9);
}
if (behaviour === 'greets') process.stdout.write('Hello! The server is ready.\n');
if (behaviour === 'garbage') process.stdout.write('no JSON\n'.repeat(500));
if (behaviour === 'endless') setInterval(() => process.stdout.write('x'.repeat(1024 * 1024)), 1);
if (behaviour === 'noisy') process.stderr.write('noise\n'.repeat(1_000_000));
createInterface({ input: process.stdin }).on('line', (line) => void receive(line));
