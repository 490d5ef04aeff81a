// Covers apps/server/handlers, apps/server/sockets, sdk/agents: agents over HTTP and in the chat.
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { rawRequest, startTestServer, type TestServer, untilState } from '../fixtures/server.ts';

const toFile = (head: string, body = ''): string => `---\n${head}\n---\n\n${body}\n`;

const FILES = {
  'README.md': '# Test\n',
  '~/.klaus/agents/reader.md': toFile(
    'name: reader\ndescription: Reads.\ngrants: fs(., r) tool(*)\nmodel: scripted/other',
    'You only read.',
  ),
  '~/.claude/agents/reader.md': toFile('name: reader\ndescription: Is hidden.'),
  '~/.claude/agents/chatter.md': toFile('name: chatter\ndescription: Talks.', 'You only talk.'),
  '~/.klaus/agents/broken.md': '---\nname: broken\ndescription: Broken.\nwrong: 1\n---\n',
};

const start = (): Promise<TestServer> =>
  startTestServer({ files: FILES, script: { steps: [], fallback: { text: 'Done.' } } });

const WRITER = {
  name: 'writer',
  description: 'Writes.',
  capabilities: ['file-operations'],
  systemPrompt: 'You write.',
};

async function send(
  { server }: TestServer,
  [method, path]: [method: string, path: string],
  body?: object,
): Promise<{ status: number; answer: Record<string, unknown> }> {
  const { status, body: text } = await rawRequest(server, {
    method,
    path,
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status, answer: JSON.parse(text) as Record<string, unknown> };
}

test('the list has every agent, the built-in one first, and the broken files', async () => {
  await using it = await start();
  const { home } = it.place;
  const { agents, broken } = await it.client.agents();
  expect(agents.map(({ name }) => name)).toEqual(['klaus', 'chatter', 'reader']);
  expect(agents[0]).toMatchObject({ file: null, lastUsed: null });
  expect(agents[1]).toMatchObject({ capabilities: [], isChatOnly: true });
  expect(agents[2]).toMatchObject({
    description: 'Reads.',
    capabilities: [],
    isChatOnly: false,
    tools: null,
    model: 'scripted/other',
    file: join(home, 'agents/reader.md'),
    hides: [join(home, '../user/.claude/agents/reader.md')],
    source: 'user',
    untrusted: [],
    lastUsed: null,
  });
  const file = join(home, 'agents/broken.md');
  expect(broken).toMatchObject([{ file, line: 4, reason: expect.not.stringContaining(file) }]);
});

test('one agent has its definition and its authority in words', async () => {
  await using it = await start();
  const reader = await it.client.agent({ params: { name: 'reader' } });
  expect(reader.definition).toMatchObject({ systemPrompt: 'You only read.', grants: ['fs(., r) tool(*)'] });
  expect(reader.grant).toContain(`fs(${it.place.workspace}, r)`);
  expect(reader.may).not.toEqual([]);
  expect(reader.cannot).not.toEqual([]);
  const chatter = await it.client.agent({ params: { name: 'chatter' } });
  expect(chatter).toMatchObject({ grant: 'nothing', may: [], problem: null });
});

test('each agent of the list can be read, the built-in one too', async () => {
  await using it = await start();
  const { agents } = await it.client.agents();
  for (const { name, description } of agents)
    expect(await it.client.agent({ params: { name } })).toMatchObject({ name, description, definition: { name } });
  const klaus = await it.client.agent({ params: { name: 'klaus' } });
  expect(klaus).toMatchObject({ file: null, hash: '', problem: null });
  expect(klaus.grant).toContain(`fs(${it.place.workspace}, rwx)`);
  expect((await send(it, ['DELETE', '/api/agents/klaus?hash='])).status).toBe(404);
});

test('a definition with an unknown capability can be read, so that it can be corrected', async () => {
  await using it = await start();
  const file = join(it.place.home, 'agents/misspelled.md');
  writeFileSync(file, toFile('name: misspelled\ndescription: Reads.\ncapabilities: [file-operation]'));
  const found = await it.client.agent({ params: { name: 'misspelled' } });
  expect(found).toMatchObject({ may: [], grant: '', problem: expect.stringContaining('file-operation') });
  const corrected = { ...found.definition, capabilities: ['file-operations'] };
  await it.client.changeAgent({ params: { name: 'misspelled' }, query: { hash: found.hash }, body: corrected });
  expect((await it.client.agent({ params: { name: 'misspelled' } })).problem).toBeNull();
});

test('an agent is created, changed and deleted', async () => {
  await using it = await start();
  const dry = await it.client.createAgent({ query: { dryRun: 'true' }, body: WRITER });
  expect(dry).toMatchObject({ file: null, may: [expect.anything()] });
  expect(existsSync(join(it.place.home, 'agents/writer.md'))).toBe(false);
  const created = await it.client.createAgent({ body: WRITER });
  expect(created.file).toBe(join(it.place.home, 'agents/writer.md'));
  const writer = await it.client.agent({ params: { name: 'writer' } });
  expect(writer.definition).toEqual(WRITER);
  const [params, query] = [{ name: 'writer' }, { hash: writer.hash }];
  await it.client.changeAgent({ params, query, body: { ...WRITER, description: 'Writes more.' } });
  const changed = await it.client.agent({ params });
  expect(changed.definition.description).toBe('Writes more.');
  const stale = await send(it, ['PUT', `/api/agents/writer?hash=${writer.hash}`], WRITER);
  expect(stale).toMatchObject({ status: 409, answer: { code: 'workspace.conflict' } });
  expect(await send(it, ['DELETE', `/api/agents/writer?hash=${writer.hash}`])).toMatchObject({ status: 409 });
  expect((await it.client.agent({ params })).definition.description).toBe('Writes more.');
  await it.client.deleteAgent({ params, query: { hash: changed.hash } });
  expect(existsSync(created.file!)).toBe(false);
});

test('an agent of the project is written in the workspace', async () => {
  await using it = await start();
  const { file, name } = await it.client.createAgent({ query: { place: 'project' }, body: WRITER });
  expect(name).toBe('project/writer');
  expect(file).toBe(join(it.place.workspace, '.klaus/agents/writer.md'));
  const found = await it.client.agent({ params: { name } });
  expect(found).toMatchObject({ name, source: 'project', untrusted: [], definition: WRITER });
  expect(readFileSync(file!, 'utf8')).toContain('You write.');
});

test('invalid requests name the field, and change no file', async () => {
  await using it = await start();
  const cases: [object, string][] = [
    [{ ...WRITER, name: '../writer' }, 'name'],
    [{ ...WRITER, name: 'klaus' }, 'name'],
    [{ ...WRITER, description: '' }, 'description'],
    [{ ...WRITER, capabilities: ['root'] }, 'capabilities'],
    [{ ...WRITER, grants: ['fs('] }, 'grants'],
    [{ ...WRITER, maxTurns: 0 }, 'maxTurns'],
    [{ ...WRITER, other: 1 }, ''],
  ];
  for (const [body, path] of cases) {
    const { status, answer } = await send(it, ['POST', '/api/agents'], body);
    expect({ path, status, answer }).toMatchObject({ status: 400, answer: { code: 'usage', errors: [{ path }] } });
  }
  const { hash } = await it.client.agent({ params: { name: 'reader' } });
  const renamed = await send(it, ['PUT', `/api/agents/reader?hash=${hash}`], WRITER);
  expect(renamed).toMatchObject({ status: 400, answer: { errors: [{ path: 'name' }] } });
  for (const name of ['reader', 'broken']) {
    const [place, body] = ['place=user', { ...WRITER, name }];
    expect(await send(it, ['POST', `/api/agents?${place}`], body)).toMatchObject({ status: 409 });
  }
  expect((await it.client.agents()).agents).toHaveLength(3);
});

test('an unknown agent is a 404 with the nearest name, with every method', async () => {
  await using it = await start();
  const unknown = { status: 404, answer: { code: 'usage', detail: expect.stringContaining('reader') } };
  expect(await send(it, ['GET', '/api/agents/reade'])).toMatchObject(unknown);
  expect(await send(it, ['PUT', '/api/agents/reade?hash=x'], { ...WRITER, name: 'reade' })).toMatchObject(unknown);
  expect(await send(it, ['DELETE', '/api/agents/reade?hash=x'])).toMatchObject(unknown);
  expect(await send(it, ['POST', '/api/sessions'], { agent: 'reade', text: 'go' })).toMatchObject(unknown);
  expect(await it.klaus.sessions()).toEqual([]);
  for (const path of ['..%2f..%2fREADME', '%2e%2e', 'a%00b', 'x'.repeat(300)]) {
    const { status } = await send(it, ['DELETE', `/api/agents/${path}?hash=x`]);
    expect({ path, isRefused: status === 400 || status === 404 || status === 405 }).toEqual({ path, isRefused: true });
  }
});

test('other folders and other pages are refused', async () => {
  await using it = await start();
  const outside = ['GET', 'POST'].map((method) =>
    send(it, [method, '/api/agents?workspace=/etc'], ...(method === 'POST' ? [WRITER] : [])),
  );
  expect((await Promise.all(outside)).map(({ status }) => status)).toEqual([403, 403]);
  const headers = { authorization: `Bearer ${it.server.token}`, origin: 'https://evil.example' };
  expect((await rawRequest(it.server, { path: '/api/agents', headers })).status).toBe(403);
  expect((await rawRequest(it.server, { method: 'DELETE', path: '/api/agents/reader?hash=x' })).status).toBe(401);
});

/** The tools of the last request to the model that was not for a title. */
function lastTools({ model }: TestServer): string[] {
  const requests = model.requests.map(({ json }) => json as { tools?: { name: string }[]; system: unknown });
  return (requests.findLast(({ system }) => JSON.stringify(system).includes('You only'))?.tools ?? []).map(
    ({ name }) => name,
  );
}

test('a session opens as an agent, which the session and the lists name', async () => {
  await using it = await start();
  const { definition, hash } = await it.client.agent({ params: { name: 'reader' } });
  const { model: _, ...body } = definition;
  await it.client.changeAgent({ params: { name: 'reader' }, query: { hash }, body });
  const { session: id } = await it.client.openSession({ body: { agent: 'reader', text: 'go' } });
  await untilState(it.client, id, 'done');
  expect(lastTools(it)).toContain('read_file');
  expect(lastTools(it)).not.toContain('edit_file');
  expect(await it.client.session({ params: { id } })).toMatchObject({ agent: 'reader' });
  const own = await it.client.openSession({ body: { agent: 'klaus' } });
  const { sessions } = await it.client.sessions();
  const agents = new Map(sessions.map((one) => [one.id, one.agent]));
  expect(agents).toEqual(
    new Map([
      [id, 'reader'],
      [own.session, 'klaus'],
    ]),
  );
  const reader = (await it.client.agents()).agents.find(({ name }) => name === 'reader');
  expect(reader?.lastUsed).toMatch(/^\d{4}-.*Z$/);
});

/** Sends a message if there is one, until an end or an error. */
async function chat({ server }: TestServer, path: string, content?: string): Promise<Record<string, unknown>[]> {
  const client = new WebSocket(`${server.url}/ws/chat/${path}`, {
    headers: { authorization: `Bearer ${server.token}` },
  });
  const messages: Record<string, unknown>[] = [];
  client.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString('utf8')) as Record<string, unknown>;
    messages.push(message);
    if (message['type'] === 'stream_complete' || message['type'] === 'error') client.close();
  });
  const closed = once(client, 'close');
  await once(client, 'open');
  if (content !== undefined) client.send(JSON.stringify({ type: 'message', content }));
  await closed;
  return messages;
}

test('the chat has every agent with its own tools and its own conversation', async () => {
  await using it = await start();
  expect((await chat(it, 'chatter', 'hello')).map(({ type }) => type)).toContain('stream_complete');
  expect(lastTools(it)).toEqual([]);
  await chat(it, 'klaus', 'hello');
  await chat(it, 'chatter', 'hello again');
  const sessions = await it.klaus.sessions();
  expect(sessions.map(({ agentType }) => agentType).toSorted()).toEqual(['chatter', 'klaus']);
  const own = sessions.find(({ agentType }) => agentType === 'klaus')!;
  expect(await chat(it, `chatter?session=${own.id}`)).toMatchObject([{ type: 'error' }]);
});

test('an idle chat is pinged before a proxy ends it, and a client that does not answer is disconnected', async () => {
  await using it = await start();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const client = new WebSocket(`${it.server.url}/ws/chat/klaus`, {
      autoPong: false,
      headers: { authorization: `Bearer ${it.server.token}` },
    });
    await once(client, 'message');
    const pinged = once(client, 'ping');
    vi.advanceTimersByTime(30_000);
    await pinged;
    const closed = once(client, 'close');
    vi.advanceTimersByTime(30_000);
    expect((await closed)[0]).toBe(1006);
  } finally {
    vi.useRealTimers();
  }
});

test('the chat with an unknown agent ends with an error that names the nearest one', async () => {
  await using it = await start();
  expect(await chat(it, 'chater')).toMatchObject([{ type: 'error', message: expect.stringContaining('chatter') }]);
  writeFileSync(join(it.place.home, '../user/.claude/agents/chatter.md'), 'broken');
  expect(await chat(it, 'chatter')).toMatchObject([{ type: 'error', message: expect.stringContaining(':1') }]);
  expect(await it.klaus.sessions()).toEqual([]);
});
