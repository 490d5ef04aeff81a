// Covers apps/cli/chat, apps/cli/commands, apps/terminal/commands, apps/terminal/dialogs, apps/acp/session, apps/server/handlers, sdk/mcp: prompts and questions of MCP servers in user interfaces.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { startEditor } from '../acp/editor.ts';
import { KEYS } from '../fixtures/emulator.ts';
import { ofType } from '../fixtures/engine.ts';
import { listSessions, runKlaus, startKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { answerQuestion, openChatPlace } from '../terminal/open-chat.ts';
import { toEntry } from './open-session.ts';

const ASK: Script = {
  steps: [
    { when: { after: 'use_tool' }, reply: { text: 'Done.' } },
    {
      when: { user: 'ask me' },
      reply: { calls: [{ name: 'use_tool', input: { name: 'mcp__one__ask', input: { how: 'form' } } }] },
    },
  ],
  fallback: { text: 'Done.' },
};
const HOST = { KLAUS_SANDBOX: 'host' };

/** The user has the server of the tests in all projects. */
function addServer({ home }: TestHome): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers: { one: toEntry() } }));
}

test('a prompt of a server is a command of the chat, whose text is content of others', async () => {
  using place = createTestHome();
  addServer(place);
  expect(await runKlaus(['mcp', 'test', 'one'], { place, env: HOST })).toMatchObject({ code: 0 });
  await using server = await startServer({
    steps: [
      { when: { after: 'use_tool' }, reply: { text: 'Done.' } },
      {
        when: { user: 'mcp__one__get_prompt' },
        reply: {
          calls: [
            {
              name: 'use_tool',
              input: { name: 'mcp__one__get_prompt', input: { name: 'greet', arguments: { who: 'Ada Lovelace' } } },
            },
          ],
        },
      },
    ],
    fallback: { text: 'Not asked.' },
  });
  const chat = (line: string) => runKlaus(['chat'], { place, server, env: HOST, stdin: `${line}\n` });
  expect(await chat('/mcp__one__greet Ada Lovelace')).toMatchObject({ code: 0, stdout: 'Done.\n' });
  const input = JSON.stringify({ name: 'greet', arguments: { who: 'Ada Lovelace' } });
  expect(server.requests[0]!.body).toContain(JSON.stringify(input).slice(1, -1));
  const [session] = await listSessions(place);
  const { stdout } = await runKlaus(['show', session!.id, '--json'], { place });
  expect(ofType(toEvents(stdout), 'tool.finished')).toMatchObject([
    {
      name: 'mcp__one__get_prompt',
      outcome: 'ok',
      output: expect.stringContaining('user: Greet Ada Lovelace.'),
      untrusted: { source: 'the MCP server one' },
    },
  ]);
  expect(await chat('/mcp__one__other')).toMatchObject({ code: 2 });
});

test.runIf(hasScript)(
  'the terminal lists prompts, and fills in the form of a server',
  { tags: ['long'], timeout: 90_000 },
  async () => {
    await using chat = await openChatPlace({ script: ASK, env: HOST, words: ['--approve', 'auto'] });
    addServer(chat.place);
    const terminal = await chat.open();
    // Keys that arrive together answer nothing.
    const enter = async (text: string): Promise<void> => {
      terminal.type(text);
      await terminal.shows(new RegExp(`> ${text}\\s*$`, 'm'));
      terminal.type(KEYS.enter);
    };
    const choose = async (...words: string[]): Promise<void> => {
      for (const word of words) {
        terminal.type(KEYS.down);
        await terminal.shows(`› ${word}`);
      }
      terminal.type(KEYS.enter);
    };
    terminal.type(`ask me${KEYS.enter}`);
    await answerQuestion(terminal, 'y');
    await terminal.shows(/Name[^\n]*\n> /);
    // Too short, so that it is asked again.
    await enter('A');
    await terminal.shows('at least 2');
    await enter('Ada');
    await terminal.shows('count');
    terminal.type(KEYS.enter);
    await terminal.shows('Blue');
    await choose('Red', 'Blue');
    await terminal.shows('separated by commas');
    await enter('a, c');
    await terminal.shows('sure');
    await choose('yes');
    await terminal.shows('Done.');
    terminal.type('/mcp__one__gr');
    await terminal.shows('Greet.');
    terminal.type(`${KEYS.ctrlC}${KEYS.ctrlD}`);
    expect(ofType(await chat.events(), 'approval.answered')).toMatchObject([
      { answer: 'approved', content: { name: 'Ada', count: 2, colour: 'blue', parts: ['a', 'c'], sure: true } },
    ]);
  },
);

test.runIf(hasScript)(
  'the terminal at a server lists and sends prompts of its machine',
  { tags: ['long'], timeout: 90_000 },
  async () => {
    await using chat = await openChatPlace({ script: ASK });
    const { place, server } = chat;
    addServer(place);
    expect(await runKlaus(['mcp', 'test', 'one'], { place, env: HOST })).toMatchObject({ code: 0 });
    const { process, url, headers, client } = await startServeProcess(place, server, { env: HOST });
    expect((await client.mcpPrompts({ query: { workspace: place.workspace } })).prompts).toMatchObject([
      { command: 'mcp__one__greet', server: 'one', prompt: { name: 'greet', arguments: [{ name: 'who' }] } },
    ]);
    await expect(client.mcpPrompts({ query: { workspace: join(place.home, '..') } })).rejects.toMatchObject({
      problem: { status: 403 },
    });
    const elsewhere = {
      KLAUS_HOME: join(place.home, '..', 'elsewhere'),
      KLAUS_SERVER: url,
      KLAUS_SERVER_TOKEN: headers['authorization']!.replace('Bearer ', ''),
    };
    const terminal = await chat.open({ env: elsewhere });
    terminal.type('/mcp__one__gr');
    await terminal.shows('Greet.');
    terminal.type(`\tAda Lovelace${KEYS.enter}`);
    await terminal.shows('Done.');
    const input = JSON.stringify({ name: 'greet', arguments: { who: 'Ada Lovelace' } });
    expect(server.requests.at(-1)!.body).toContain(JSON.stringify(input).slice(1, -1));
    terminal.type(`${KEYS.ctrlC}${KEYS.ctrlD}`);
    process.kill('SIGTERM');
    await process.ended;
  },
);

test(
  'klaus approve answers with fields, and refuses values that do not fit',
  { tags: ['long'], timeout: 90_000 },
  async () => {
    using place = createTestHome();
    addServer(place);
    await using server = await startServer(ASK);
    const words = ['run', '--json', '--on-ask', 'wait', '--approve', 'auto', 'ask me'];
    const run = startKlaus(words, { place, server, env: HOST });
    await run.printed('stdout', '"approval.asked"');
    const { stdout: listed } = await runKlaus(['approvals', '--json'], { place });
    const { id } = JSON.parse(listed) as { id: string };
    const approve = (...fields: string[]) =>
      runKlaus(['approve', id, '--json', ...fields.flatMap((field) => ['--field', field])], { place });
    expect(await approve()).toMatchObject({ code: 2 });
    expect(await approve('name=Ada', 'count=9')).toMatchObject({ code: 2 });
    expect(await approve('name=Ada', 'other=1')).toMatchObject({ code: 2 });
    await approve('name=Ada', 'sure=no');
    const { code, stdout } = await run.ended;
    expect(code).toBe(0);
    const events = toEvents(stdout);
    expect(ofType(events, 'approval.answered')).toMatchObject([
      { answer: 'approved', by: 'cli', content: { name: 'Ada', count: 2, sure: false } },
    ]);
    expect(ofType(events, 'tool.finished').at(-1)!.output).toContain('"action":"accept"');
  },
);

test(
  'an editor with forms shows the form, and one without declines it',
  { tags: ['long'], timeout: 90_000 },
  async () => {
    using place = createTestHome();
    addServer(place);
    await using server = await startServer(ASK);
    const forms: unknown[] = [];
    const answer = async (capabilities: object): Promise<string> => {
      await using editor = await startEditor({
        place,
        server,
        words: ['--approve', 'auto'],
        env: HOST,
        capabilities,
        fill(form) {
          forms.push(form);
          return { action: 'accept', content: { name: 'Ada' } };
        },
      });
      const { sessionId } = await editor.open();
      await editor.prompt(sessionId, 'ask me');
      const { stdout } = await runKlaus(['show', sessionId, '--json'], { place });
      return ofType(toEvents(stdout), 'tool.finished').at(-1)!.output;
    };
    expect(await answer({ elicitation: { form: {} } })).toContain('"content":{"count":2,"name":"Ada"}');
    expect(forms).toMatchObject([
      { mode: 'form', requestedSchema: { properties: { name: { type: 'string', minLength: 2 } }, required: ['name'] } },
    ]);
    expect(await answer({})).toContain('{"action":"decline"}');
  },
);
