// Covers apps/server/access, apps/server/contract, apps/server/streams, apps/server/sockets: persons who may see some projects only, on every route, stream and event.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROUTES, type Route } from '@klaus/server/contract';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { git } from '../cluster/tree-listing.ts';
import { recordDecision } from '../fixtures/guard-decisions.ts';
import { rawRequest, startTestServer, type TestServer, untilState } from '../fixtures/server.ts';

/** In every row of the project that the person may not see. */
const SECRET = 'quicksilver';
const JSON_BODY = { 'content-type': 'application/json' };

const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { user: 'ask', turn: 0 },
      reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: SECRET } }] },
    },
  ],
  fallback: { text: 'Done.' },
};

/** The headers of the proxy for a person of these groups. */
const as = (...groups: string[]): Record<string, string> => ({
  'x-forwarded-user': groups[0]!,
  'x-forwarded-groups': groups.join(', '),
});
const [painter, admin, outsider] = [as('painters', 'team'), as('admins', 'painters'), as('team')];

/** Routes of all projects, which no person with some of them may use. */
const REFUSED = ['GET /metrics', 'POST /api/demo'];
/** Routes that have nothing of projects. */
const WITHOUT = ['GET /api/models', 'GET /api/openapi.json', 'POST /api/sign-out', 'PUT /api/mode'];

/** Values for the fields of queries and bodies that do not name the other project, so that a request is valid. */
const VALUES: Readonly<Record<string, unknown>> = {
  ...{ q: SECRET, paths: 'README.md', text: 'go', message: 'go', answer: 'approved', key: 'note', value: 'x' },
  ...{ position: 1, name: 'x', title: 'x', dryRun: true, turn: 1, mode: 'ask' },
  ...{ remote: 'origin', branch: 'x', host: 'example.com' },
};

describe('a person who may see one of two projects', () => {
  let it: TestServer;
  let root: string;
  /** The folder that painters see. */
  let own: string;
  /** The configured workspace. */
  let other: string;
  let sessions: { own: string; other: string; asking: string; copy: string };
  let approval: string;

  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-projects-')));
    [own, other] = [join(root, 'own'), join(root, `other-${SECRET}`)];
    for (const folder of [own, other]) {
      mkdirSync(folder);
      const content = folder === other ? SECRET : 'own';
      writeFileSync(join(folder, 'README.md'), `${content}\n`);
      writeFileSync(join(folder, `${content}.txt`), '');
      git(folder, 'init', '-q', '-b', 'main');
      git(folder, 'add', '-A');
      git(folder, 'commit', '-q', '-m', `Begin ${content}`);
    }
    it = await startTestServer({
      script: SCRIPT,
      settings: { approve: 'ask', workspace: other, 'server.workspaces': [own, other] },
      env: {
        KLAUS_SERVER_SIGN_IN: 'proxy',
        AGENT_TRUST_PROXY: 'loopback',
        KLAUS_SERVER_ROLES: 'admins=admin,team=operator',
        KLAUS_SERVER_PROJECTS: `painters=${own},others=${other}`,
      },
    });
    const open = async (workspace: string, text: string) =>
      (await it.client.openSession({ body: { workspace, text } })).session;
    sessions = {
      own: await open(own, 'own'),
      other: await open(other, SECRET),
      asking: await open(other, `ask ${SECRET}`),
      copy: (await it.client.openSession({ body: { workspace: other, workingCopy: { withChanges: false } } })).session,
    };
    await Promise.all([
      untilState(it.client, sessions.own, 'done'),
      untilState(it.client, sessions.other, 'done'),
      untilState(it.client, sessions.asking, 'needs-you'),
    ]);
    approval = (await it.client.approvals()).approvals[0]!.id;
    await it.client.addProject({ body: { path: join(other, 'added'), create: true } });
    await it.client.setNote({ query: { workspace: other }, body: { key: 'note', value: SECRET } });
    await recordDecision(it.klaus, { workspace: own, text: 'npm test' });
    await recordDecision(it.klaus, { workspace: other, text: SECRET, verdict: 'deny' });
    const changed = { type: 'guard.changed', state: 'off', reason: SECRET } as const;
    await it.klaus.recordGuard({ ...changed, workspace: other, of: join(other, '.claude/settings.json') });
  }, 60_000);
  afterAll(async () => {
    await it[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });

  /** Asks a route for the other project, by a session of it or by its folder. */
  const ask = async (
    { method, path, query, body, kind }: Route,
    { headers, by }: { headers: Record<string, string>; by: 'session' | 'folder' },
  ): Promise<{ status: number; body: string; names: string[] }> => {
    const params: Readonly<Record<string, string>> = {
      id: path.startsWith('/api/approvals') || path.startsWith('/api/remembered') ? approval : sessions.other,
      ...{ copy: sessions.copy, key: 'note', scope: 'project', hash: git(other, 'rev-parse', 'HEAD').trim() },
    };
    const at = path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? 'x').replace(/\*$/, 'README.md');
    const names = { session: sessions.other, sessionId: sessions.other, workspace: other, url: other, item: approval };
    const fill = (shape: object, more: object): Record<string, unknown> => {
      const known = Object.entries({ ...VALUES, ...names, ...more });
      const filled = Object.fromEntries(known.filter(([name]) => name in shape));
      const omitted =
        by === 'folder' ? ['session', 'sessionId'] : 'session' in filled || 'sessionId' in filled ? ['workspace'] : [];
      return Object.fromEntries(Object.entries(filled).filter(([name]) => !omitted.includes(name)));
    };
    const asked = fill(query?.shape ?? {}, path === '/api/projects' ? { path: join(other, 'added') } : {});
    const url = `${at}?${new URLSearchParams(asked as Record<string, string>).toString()}`;
    const command = path.endsWith('/shell') ? { command: 'true' } : {};
    const scope = path.includes('/approvals') ? { scope: 'once' } : {};
    const places = {
      ...command,
      ...scope,
      paths: ['README.md'],
      path: path === '/api/projects' ? join(other, 'new') : 'README.md',
      parent: other,
    };
    const sent = body && { body: JSON.stringify(fill(body.shape, { ...places, create: true })) };
    const given = { method, headers: { ...headers, ...JSON_BODY } };
    const answer = await (kind === 'stream'
      ? readStream(`${it.server.url}${url}`, { ...given, ...sent })
      : rawRequest(it.server, { ...given, path: url, ...sent }));
    const request = `${decodeURIComponent(url)}${sent?.body ?? ''}`;
    return { ...answer, names: [other, ...Object.values(sessions)].filter((name) => request.includes(name)) };
  };

  test('no route shows or changes anything of the other one', { timeout: 120_000 }, async () => {
    const before = await readOther();
    const found: Record<'invalid' | 'refused' | 'without', string[]> = { invalid: [], refused: [], without: [] };
    for (const route of Object.values<Route>(ROUTES)) {
      if (route.open || route.role === 'admin') continue;
      const name = `${route.method} ${route.path}`;
      for (const by of ['session', 'folder'] as const) {
        const { status, body, names } = await ask(route, { headers: painter, by });
        // An error may repeat what the request names.
        const rest = names.reduce((text, part) => text.replaceAll(part, ''), body);
        const shown = [SECRET, sessions.other, sessions.asking, sessions.copy].filter((part) => rest.includes(part));
        expect({ name, by, shown, body }).toMatchObject({ name, shown: [] });
        expect({ name, status, body }).toMatchObject({ name, status: expect.toSatisfy((it) => it < 500) });
        if (body.includes('"title":"Invalid request')) found.invalid.push(`${name} ${body}`);
        else if (route.projects === 'session') expect({ name, status }).toEqual({ name, status: 404 });
        if (route.projects === 'all') expect({ name, status }).toEqual({ name, status: 403 });
      }
      if (route.projects === 'all') found.refused.push(name);
      if (route.projects === 'none') found.without.push(name);
    }
    expect(found.invalid).toEqual([]);
    expect(found.refused.toSorted()).toEqual(REFUSED);
    expect(found.without.toSorted()).toEqual(WITHOUT);
    expect(await readOther()).toEqual(before);
  });

  test('the same requests show the other project to an admin', { timeout: 120_000 }, async () => {
    const shown: string[] = [];
    const [toSession, toFolder] = [(path: string) => `session ${path}`, (path: string) => `folder ${path}`];
    for (const route of Object.values<Route>(ROUTES)) {
      if (route.open || route.method !== 'GET' || route.role === 'admin' || route.projects === 'none') continue;
      for (const by of ['session', 'folder'] as const) {
        const { status, body } = await ask(route, { headers: admin, by });
        if (status === 200 && (body.includes(SECRET) || body.includes(sessions.other)))
          shown.push(`${by} ${route.path}`);
      }
    }
    expect(shown).toEqual(
      expect.arrayContaining([
        ...['/api/sessions', '/api/sessions/:id', '/api/sessions/:id/log', '/api/sessions/:id/events'].map(toSession),
        ...['/api/events', '/api/search', '/api/approvals/:id', '/api/attention', '/api/projects'].map(toSession),
        ...['/api/workspaces', '/api/approvals', '/api/settings', '/api/memory'].map(toFolder),
        ...['/api/guard/decisions', '/api/guard/rates', '/api/guard/states'].map(toFolder),
        ...['/api/files', '/api/files/*', '/api/git/commits'].flatMap((path) => [toSession(path), toFolder(path)]),
      ]),
    );
  });

  /** What a request could change. */
  const readOther = async () => {
    const rows = (await it.client.sessions()).sessions.filter(({ id }) => id !== sessions.own);
    return {
      logs: await Promise.all(rows.map(({ id }) => it.client.log({ params: { id } }))),
      notes: await it.client.memory({ query: { workspace: other } }),
      approvals: await it.client.approvals(),
      attention: (await it.client.attention()).items.filter(({ session }) => session !== sessions.own),
      projects: (await it.client.projects()).projects.filter(({ path }) => path !== own),
    };
  };

  const send = async (method: string, path: string, { body, headers = painter }: Sent = {}) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await rawRequest(it.server, { method, path, headers: { ...headers, ...JSON_BODY }, ...sent });
    return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> };
  };

  test('the own project is complete', async () => {
    expect((await send('GET', '/api/sessions')).body).toMatchObject({ sessions: [{ id: sessions.own }], next: null });
    expect((await send('GET', '/api/projects')).body).toMatchObject({ projects: [{ path: own, isDefault: true }] });
    expect((await send('GET', '/api/settings')).body).toMatchObject({ workspace: own, hasDemo: false });
    expect((await send('GET', '/api/files')).body).toMatchObject({ root: own });
    expect((await send('GET', `/api/sessions/${sessions.own.slice(0, -1)}/log`)).status).toBe(200);
    expect((await send('GET', `/api/usage?session=${sessions.own}`)).status).toBe(200);
    const attention = await send('GET', '/api/attention');
    expect(attention.body).toMatchObject({
      items: [{ session: sessions.own }],
      counts: { answer: 0, failed: 0, done: 1 },
    });
    // Without a folder, the default is their own one.
    const opened = await send('POST', '/api/sessions', { body: { text: 'go' } });
    const id = opened.body['session'] as string;
    expect((await it.client.session({ params: { id } })).workspace).toBe(own);
    await untilState(it.client, id, 'done');
    await it.client.deleteSession({ params: { id } });
  });

  test('a link, a folder of a grant and a note for all projects lead nowhere else', async () => {
    symlinkSync(other, join(own, 'link'));
    const refused = { status: 403, body: { code: 'workspace.outside' } };
    const toOpen = (body: object) => send('POST', '/api/sessions', { body });
    expect(await toOpen({ workspace: join(own, 'link') })).toMatchObject(refused);
    expect(await toOpen({ workspace: `${own}/../other-${SECRET}` })).toMatchObject(refused);
    expect(await toOpen({ workspace: dirname(own) })).toMatchObject(refused);
    expect(await toOpen({ workspace: own, grant: ['file-operations', `fs(${other}, r)`] })).toMatchObject(refused);
    expect(await send('PUT', '/api/memory', { body: { key: 'a', value: 'b', scope: 'global' } })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
  });

  test('usage is that of the own project alone', async () => {
    const keysOf = async (by: string, headers?: Record<string, string>): Promise<string[]> => {
      const { status, body } = await send('GET', `/api/usage?by=${by}`, headers && { headers });
      expect(status).toBe(200);
      expect(body).not.toHaveProperty('budget');
      return (body['rows'] as { key: string }[]).map(({ key }) => key);
    };
    expect(await keysOf('workspace')).toEqual([own]);
    expect(await keysOf('session')).toContain(sessions.own);
    expect(await keysOf('session')).not.toContain(sessions.other);
    expect(await keysOf('workspace', outsider)).toEqual([]);
    expect(await keysOf('workspace', admin)).toEqual(expect.arrayContaining([own, other]));
    expect(await keysOf('session', admin)).toEqual(expect.arrayContaining([sessions.own, sessions.other]));
  });

  test('the guard reports the own project alone', async () => {
    const { body: rates } = await send('GET', '/api/guard/rates');
    expect(rates).toMatchObject({ workspaces: [own], rates: { calls: 1, denied: 0 } });
    const { body: found } = await send('GET', '/api/guard/decisions');
    expect(found).toMatchObject({ decisions: [{ workspace: own }], next: null });
    expect((await send('GET', `/api/guard/rates?workspace=${other}`)).body).toMatchObject({ rates: { calls: 0 } });
    expect((await send('GET', '/api/guard/states')).body).toEqual({ states: [] });
    const { body: complete } = await send('GET', '/api/guard/rates', { headers: admin });
    expect(complete).toMatchObject({ workspaces: [other, own].toSorted(), rates: { calls: 2, denied: 1 } });
  });

  test('a person without a project sees none, and an admin sees all', async () => {
    expect((await send('GET', '/api/sessions', { headers: outsider })).body).toEqual({ sessions: [], next: null });
    expect((await send('GET', '/api/projects', { headers: outsider })).body).toEqual({ projects: [] });
    const opened = await send('POST', '/api/sessions', { headers: outsider, body: { text: 'go' } });
    expect(opened).toMatchObject({ status: 403, body: { code: 'workspace.outside' } });
    expect(JSON.stringify(opened.body)).not.toContain(SECRET);
    const all = await send('GET', '/api/sessions', { headers: admin });
    expect(all.body['sessions']).toEqual(expect.arrayContaining([expect.objectContaining({ id: sessions.other })]));
  });

  test('the live list has the sessions of the own project alone', async () => {
    const lists = { painter: '', admin: '' };
    const end = new AbortController();
    for (const [name, headers] of Object.entries({ painter, admin }) as [
      keyof typeof lists,
      Record<string, string>,
    ][]) {
      const answer = await fetch(`${it.server.url}/api/events`, { headers, signal: end.signal });
      void (async () => {
        for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) lists[name] += chunk;
      })().catch(() => {});
    }
    const open = async (workspace: string) => (await it.client.openSession({ body: { workspace } })).session;
    const [hidden, shown] = [await open(other), await open(own)];
    await it.client.deleteSession({ params: { id: hidden } });
    await it.client.deleteSession({ params: { id: shown } });
    const removed = (id: string) => `event: removed\ndata: {"session":"${id}"`;
    await expect.poll(() => lists.painter).toContain(removed(shown));
    await expect.poll(() => lists.admin).toContain(removed(hidden));
    expect(lists.admin).toContain(SECRET);
    expect(lists.painter).not.toContain(SECRET);
    expect(lists.painter).not.toContain(hidden);
    end.abort();
  });

  test('sockets follow and change no session of the other project', async () => {
    const before = await readOther();
    const socket: Socket = io(it.server.url, { reconnection: false, forceNew: true, extraHeaders: painter });
    await once(socket as never, 'connect');
    const id = sessions.other;
    for (const [name, payload] of Object.entries({
      prompt: { message: 'go', sessionId: id },
      cancel: { sessionId: id },
      join_session: { sessionId: id, after: 0 },
      leave_session: { sessionId: id },
      patch_approval_response: { patchId: approval, approved: true },
    })) {
      const answer = (await socket.emitWithAck(name, payload)) as object;
      expect({ name, ...answer }).toMatchObject({ name, ok: false, code: 'usage' });
    }
    const elsewhere: unknown = await socket.emitWithAck('prompt', { message: 'go', workspace: other });
    expect(elsewhere).toMatchObject({ ok: false, code: 'workspace.outside' });
    expect(await socket.emitWithAck('join_session', { sessionId: sessions.own })).toMatchObject({ ok: true });
    socket.close();
    const chat = new WebSocket(`${it.server.url}/ws/chat/klaus?session=${id}`, { headers: painter });
    expect((await once(chat, 'close'))[0]).toBe(1008);
    expect(await readOther()).toEqual(before);
  });
});

interface Sent {
  body?: object;
  headers?: Record<string, string>;
}

/** The status of a stream, and what it sends until it has sent something twice, ends or is quiet for a second. */
async function readStream(url: string, init: RequestInit): Promise<{ status: number; body: string }> {
  const end = new AbortController();
  const answer = await fetch(url, { ...init, signal: end.signal });
  if (!answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    return { status: answer.status, body: await answer.text() };
  }
  let body = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    body += chunk;
    if ((body.match(/^event: /gm)?.length ?? 0) >= 2) break;
  }
  end.abort();
  return { status: answer.status, body };
}
