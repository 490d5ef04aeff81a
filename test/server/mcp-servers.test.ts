// Covers apps/server/handlers, apps/server/mcp, sdk/mcp, adapters/mcp: MCP servers of sessions over HTTP.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProblemError } from '@klaus/server/client';
import { expect, test } from 'vitest';
import { startHttpServer } from '../mcp/http-server.ts';
import { toEntry } from '../mcp/open-session.ts';
import { startTestServer, type TestServer } from '../fixtures/server.ts';

/** No keyring: the address of its bus does not exist. */
const ENV = { KLAUS_SANDBOX: 'host', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
const SECRET = 'value-of-a-secret-5d9e1f0a';
const one = { params: { name: 'one' } };

const list = async ({ client }: Pick<TestServer, 'client'>) => (await client.mcpServers()).servers;

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return '';
  } catch (error) {
    if (isProblemError(error)) return error.problem.code;
    throw error;
  }
}

test('a program is added, listed without secrets, tested and removed', { timeout: 60_000 }, async () => {
  await using it = await startTestServer({ env: ENV });
  const { command, args } = toEntry();
  const server = {
    command,
    args: [...args, 'plain', '--api-key', SECRET, `--token=${SECRET}`],
    env: { API_KEY: SECRET, MODE: 'fast', OTHER: '${HOME}' },
  };
  const body = { name: 'one', from: 'project', server } as const;
  await it.client.addMcpServer({ body });
  expect(JSON.parse(readFileSync(join(it.place.workspace, '.mcp.json'), 'utf8'))).toEqual({
    mcpServers: { one: server },
  });
  const [shown] = await list(it);
  expect(shown).toMatchObject({
    ...{ name: 'one', from: 'project', kind: 'program', isTrusted: true, isAccepted: false, grant: null },
    ...{ isLoggedIn: null, problem: null, variables: ['HOME'] },
    values: [
      { name: 'API_KEY', value: null },
      { name: 'MODE', value: 'fast' },
      { name: 'OTHER', value: '${HOME}' },
    ],
  });
  expect(shown!.place).toContain(args[0]);
  expect(JSON.stringify(shown)).not.toContain(SECRET);
  expect(await codeOf(it.client.addMcpServer({ body }))).toBe('usage');
  const tested = await it.client.testMcpServer(one);
  expect(tested).toMatchObject({ server: 'fixture 1.0.0', prompts: 1, resources: 1, problems: [] });
  expect(tested.tools).toContainEqual({ name: 'echo', description: 'Repeat a text.', reads: true });
  expect(tested).not.toHaveProperty('pinned');
  await it.client.removeMcpServer(one);
  expect(await list(it)).toEqual([]);
  for (const work of [it.client.testMcpServer(one), it.client.removeMcpServer(one), it.client.startMcpLogin(one)])
    expect(await codeOf(work)).toBe('usage');
});

test(
  'trust is for the entry that was seen, and exactly the seen descriptions are accepted',
  { timeout: 60_000 },
  async () => {
    await using it = await startTestServer({ env: ENV });
    const file = join(it.place.workspace, '.mcp.json');
    const write = (behaviour: string): void =>
      writeFileSync(file, JSON.stringify({ mcpServers: { one: toEntry(behaviour) } }));
    write('plain');
    const [seen] = await list(it);
    expect(seen).toMatchObject({ isTrusted: false, isAccepted: false });
    // Nothing starts before the user trusts it.
    for (const work of [it.client.testMcpServer(one), it.client.reviewMcpServer(one)])
      expect(await codeOf(work)).toBe('usage');
    write('many');
    expect(await codeOf(it.client.trustMcpServer({ ...one, body: { hash: seen!.hash } }))).toBe('workspace.conflict');
    expect(await list(it)).toMatchObject([{ isTrusted: false }]);
    write('plain');
    await it.client.trustMcpServer({ ...one, body: { hash: seen!.hash } });
    const review = await it.client.reviewMcpServer(one);
    expect(review).toMatchObject({ diff: null, reading: [], changed: expect.arrayContaining(['echo', 'save']) });
    const accept = (id: string, reading?: string[]) =>
      it.client.acceptMcpServer({ ...one, body: { review: id, ...(reading && { reading }) } });
    expect(await codeOf(accept('another'))).toBe('usage');
    await accept(review.review, ['echo']);
    expect(await codeOf(accept(review.review))).toBe('usage');
    expect(await list(it)).toMatchObject([{ isTrusted: true, isAccepted: true }]);
    // A change is a diff.
    const pins = join(it.place.home, 'mcp-tools.json');
    writeFileSync(pins, readFileSync(pins, 'utf8').replace('Repeat a text.', 'An older text.'));
    const again = await it.client.reviewMcpServer(one);
    expect(again).toMatchObject({ changed: ['echo'], reading: [] });
    expect(again.diff).toMatch(/-.*An older text\.[^]*\+.*Repeat a text\./);
  },
);

test('a login, by the callback and by its address from another machine', { timeout: 60_000 }, async () => {
  using web = await startHttpServer({ access: 'oauth' });
  await using it = await startTestServer({ env: ENV });
  const server = { url: web.url, headers: { Authorization: `Bearer ${SECRET}` } };
  await it.client.addMcpServer({ body: { name: 'one', from: 'user', server } });
  const { host } = new URL(web.url);
  expect(await list(it)).toMatchObject([
    { kind: 'address', place: web.url, grant: host, isLoggedIn: false, login: null, values: [{ value: null }] },
  ]);
  const { url } = await it.client.startMcpLogin(one);
  // The browser of the user.
  expect((await fetch(url!)).status).toBe(200);
  await expect.poll(async () => (await it.client.mcpLogin(one)).login?.state).toBe('done');
  expect(await list(it)).toMatchObject([{ isLoggedIn: true }]);
  const [token] = [...web.tokens];
  expect(readFileSync(join(it.place.home, 'mcp-logins.json'), 'utf8')).toContain(token);
  const again = await it.client.startMcpLogin(one);
  const back = (await fetch(again.url!, { redirect: 'manual' })).headers.get('location')!;
  const answer = (address: string) => it.client.answerMcpLogin({ ...one, body: { address } });
  const wrong = [back.replace('state=', 'state=x'), back.replace('/callback', '/other'), 'nonsense'];
  for (const address of wrong) expect(await codeOf(answer(address)), address).toBe('usage');
  expect(await answer(back)).toMatchObject({ state: 'done' });
  const seen = JSON.stringify([await list(it), await it.client.mcpLogin(one)]);
  for (const secret of [SECRET, ...web.tokens, ...web.refreshTokens]) expect(seen).not.toContain(secret);
  // A login that is cancelled leaves none.
  await it.client.startMcpLogin(one);
  await it.client.cancelMcpLogin(one);
  expect((await it.client.mcpLogin(one)).login).toBeNull();
});

test('an entry with a variable that is not set is listed with the reason', async () => {
  await using it = await startTestServer({ env: ENV });
  await it.client.addMcpServer({ body: { name: 'one', from: 'user', server: { url: 'https://${NOT_SET_HOST}/mcp' } } });
  expect(await list(it)).toMatchObject([
    { place: 'https://${NOT_SET_HOST}/mcp', grant: null, problem: expect.stringContaining('NOT_SET_HOST') },
  ]);
});

test('nothing is listed or changed while settings are switched off', async () => {
  await using it = await startTestServer({ env: ENV, settings: { 'server.settings': false } });
  const body = { name: 'one', from: 'user', server: { command: 'true' } } as const;
  expect(await codeOf(it.client.mcpServers())).toBe('forbidden');
  expect(await codeOf(it.client.addMcpServer({ body }))).toBe('forbidden');
  expect(existsSync(join(it.place.home, 'mcp.json'))).toBe(false);
});
