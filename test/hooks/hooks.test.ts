// Covers core/agent/hooks, sdk/hooks, apps/cli/commands: hooks of the user and of the project.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { toText, type HookGroups } from '@klaus/core/protocol';
import type { Event, Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { runKlaus } from '../fixtures/klaus.ts';
import { toCalls, type ToolCall } from '../fixtures/play.ts';
import { test as sandboxed } from '../fixtures/sandboxed.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const writing = (path: string): ToolCall => ({ name: 'write_file', input: { path, content: `${path}\n` } });
const script = (...calls: ToolCall[]): Script => ({
  steps: calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call] } })),
  fallback: { text: 'Done.' },
});
const command = (line: string, timeout?: number) => ({
  type: 'command' as const,
  command: line,
  timeout,
});
const on = (event: keyof HookGroups, ...lines: string[]): HookGroups => ({
  [event]: [{ matcher: 'Write|Edit', hooks: lines.map((line) => command(line)) }],
});

async function run(engine: TestEngine, options: Parameters<TestEngine['klaus']['open']>[0] = {}, prompt = 'go') {
  const session = await engine.klaus.open({ mode: 'auto', ...options });
  await session.prompt(prompt);
  await session.advance();
  const events = await Array.fromAsync(session.events());
  expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  return { session, events, calls: toCalls(events) };
}

const hookFindings = (events: readonly Event[]) =>
  ofType(events, 'gate.decided')
    .filter(({ name }) => name === 'write_file')
    .map(({ verdict, findings }) => [
      verdict,
      ...findings.filter(({ rule }) => rule === 'hook').map((finding) => finding.verdict),
    ]);

/** Decides by the name of the file: the shapes of Claude Code. */
const CHECK = String.raw`
input=$(cat)
say() { printf '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"%s","permissionDecisionReason":"%s"}}' "$1" "$2"; }
case $input in
  *'"tool_name":"Write"'*'"file_path":"'"$CLAUDE_PROJECT_DIR"/deny.txt'"'*) say deny 'never this file' ;;
  *exit.txt*) echo 'blocked here' >&2; exit 2 ;;
  *ask.txt*) say ask 'look at it first' ;;
  *allow.txt*) say allow fine ;;
  *crash.txt*) exit 1 ;;
  *broken.txt*) printf '{"hookSpecificOutput":' ;;
  *slow.txt*) sleep 60 ;;
  *reach.txt*) echo x > "$CLAUDE_PROJECT_DIR/planted"; echo 'wrote anything' ;;
esac
`;

sandboxed('a hook before a call can only narrow, and what is no answer denies', async () => {
  const names = ['deny', 'exit', 'ask', 'allow', 'crash', 'broken', 'slow', 'reach'];
  await using engine = await createTestEngine({
    script: script(...names.map((name) => writing(`${name}.txt`))),
    files: { 'check.sh': CHECK },
    settings: {
      'sandbox.driver': 'bubblewrap',
      hooks: { PreToolUse: [{ matcher: 'Write', hooks: [command('sh check.sh', 3)] }] },
    },
  });
  const { events, calls } = await run(engine);
  expect(hookFindings(events)).toEqual([
    ['deny', 'deny'],
    ['deny', 'deny'],
    ['ask', 'ask'],
    ['allow', 'allow'],
    ['deny', 'deny'],
    ['deny', 'deny'],
    ['deny', 'deny'],
    ['allow', 'allow'],
  ]);
  const denied = ofType(events, 'gate.decided')[0]!;
  expect(denied).toMatchObject({ rule: 'hook', reason: 'sh check.sh: never this file' });
  expect(calls[0]!.finished.output).toContain('never this file');
  const written = names.filter((name) => existsSync(join(engine.place.workspace, `${name}.txt`)));
  expect(written).toEqual(['allow', 'reach']);
  expect(existsSync(join(engine.place.workspace, 'planted'))).toBe(false);
});

sandboxed('an allowing hook does not widen the mode, and a question of a hook is answered by the user', async () => {
  const allow = `printf '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`;
  await using narrow = await createTestEngine({
    script: script(writing('a.txt')),
    settings: { 'sandbox.driver': 'bubblewrap', hooks: on('PreToolUse', allow) },
  });
  expect((await run(narrow, { mode: 'ask' })).calls[0]).toMatchObject({ verdict: 'ask' });
  expect(existsSync(join(narrow.place.workspace, 'a.txt'))).toBe(false);
  const ask = `printf '{"hookSpecificOutput":{"permissionDecision":"ask"}}'`;
  await using asking = await createTestEngine({
    script: script(writing('a.txt')),
    settings: { 'sandbox.driver': 'bubblewrap', hooks: on('PreToolUse', ask) },
  });
  const session = await asking.klaus.open({ mode: 'auto' });
  await session.prompt('go', { onAsk: 'wait' });
  const parked = await session.advance();
  if (parked.state !== 'parked') throw new Error('it did not ask');
  await asking.klaus.answer(parked.approvals[0]!.approval, 'approved', { by: 'test' });
  await session.advance();
  expect(readFileSync(join(asking.place.workspace, 'a.txt'), 'utf8')).toBe('a.txt\n');
});

sandboxed('hooks after an edit see each file once, and add what they print to the result', async () => {
  const patch = '*** Begin Patch\n*** Add File: one.txt\n+1\n*** Add File: two.txt\n+2\n*** End Patch\n';
  const show = `sed -E 's/.*"file_path":"([^"]*)".*/saw \\1 <\\/hook>/'`;
  await using engine = await createTestEngine({
    script: script({ name: 'apply_patch', input: { patch } }),
    settings: {
      'sandbox.driver': 'bubblewrap',
      hooks: on('PostToolUse', show, 'echo broken >&2; exit 3', 'echo said by exit code >&2; exit 2'),
    },
  });
  const { events, calls } = await run(engine);
  const { output } = calls[0]!.finished;
  const { workspace } = engine.place;
  expect(output.match(/^saw .*/gm)).toEqual([`saw ${workspace}/one.txt (/hook>`, `saw ${workspace}/two.txt (/hook>`]);
  expect(output.match(/^said by exit code$/gm)).toHaveLength(2);
  const notices = ofType(events, 'notice').filter(({ text }) => text.startsWith('Hook failed: '));
  expect(notices).toHaveLength(2);
  expect(existsSync(join(workspace, 'two.txt'))).toBe(true);
});

sandboxed(
  'hooks of a session add context, refuse prompts, and keep the model working a limited number of times',
  async () => {
    const refuse = `case $(cat) in *'"prompt":"bad'*) echo 'not this prompt' >&2; exit 2 ;; *) echo 'the branch is main' ;; esac`;
    const hooks: HookGroups = {
      SessionStart: [{ hooks: [command('echo started here'), command('exit 1')] }],
      UserPromptSubmit: [{ hooks: [command(refuse)] }],
      Stop: [{ hooks: [command(`printf '{"decision":"block","reason":"tests are missing"}'`)] }],
    };
    await using engine = await createTestEngine({
      script: script(),
      settings: { 'sandbox.driver': 'bubblewrap', hooks },
    });
    const { session, events } = await run(engine);
    const texts = ofType(events, 'message.added').map(({ message }) => toText(message));
    expect(texts.filter((text) => text.includes('started here'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('the branch is main'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('tests are missing'))).toHaveLength(8);
    expect(outcomeOf(events)).toMatchObject({ outcome: 'done', turns: 9 });
    await session.prompt('bad idea');
    expect(await session.advance()).toMatchObject({ finished: { outcome: 'denied', turns: 0 } });
    const after = await Array.fromAsync(session.events());
    expect(JSON.stringify(after)).not.toContain('bad idea');
    expect(await session.replay()).toMatchObject({ outcome: 'equal' });
  },
);

test('an URL gets the event without secrets, and everything but a good answer denies', async () => {
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  const seen: { body: string; headers: IncomingMessage['headers'] }[] = [];
  const answers = [
    { status: 200, body: '{}' },
    { status: 200, body: '{"decision":"block","reason":"it is not allowed"}' },
    { status: 500, body: '' },
    { status: 302, body: '' },
  ];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ body: Buffer.concat(chunks).toString(), headers: request.headers });
      const { status, body } = answers[seen.length - 1]!;
      response.writeHead(status, { location: '/again' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=hidden`;
  const calls = answers.map((_, at): ToolCall => {
    const content = `token ${token}\n`;
    return { name: 'write_file', input: { path: `${at}.txt`, content } };
  });
  await using engine = await createTestEngine({
    script: script(...calls),
    settings: { hooks: { PreToolUse: [{ hooks: [{ type: 'http', url, headers: { authorization: 'Bearer x' } }] }] } },
  });
  const { events } = await run(engine);
  server.close();
  expect(hookFindings(events).map(([verdict]) => verdict)).toEqual(['allow', 'deny', 'deny', 'deny']);
  expect(seen).toHaveLength(4);
  expect(seen[0]!.headers).toMatchObject({ authorization: 'Bearer x', 'content-type': 'application/json' });
  expect(JSON.parse(seen[0]!.body)).toMatchObject({
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_input: { file_path: join(engine.place.workspace, '0.txt') },
  });
  expect(seen[0]!.body).not.toContain(token);
  expect(JSON.stringify(events)).not.toContain('hidden');
});

const PROJECT = `hooks:
  PostToolUse:
    - matcher: Write
      hooks:
        - { type: command, command: echo from the project }
`;

sandboxed('a project adds hooks to those of the user and removes none; what they say is marked', async () => {
  await using engine = await createTestEngine({
    script: script(writing('a.txt')),
    files: { '.klaus/config.yaml': PROJECT },
    settings: {
      'sandbox.driver': 'bubblewrap',
      hooks: on('PostToolUse', 'sh "$HOME_HOOK" || sh ../user/.claude/hooks/own.sh'),
    },
  });
  const own = join(engine.place.env['HOME']!, '.claude/hooks');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'own.sh'), 'echo from the user\n');
  const { calls } = await run(engine);
  const { output } = calls[0]!.finished;
  expect(output).toMatch(
    /<hook name="sh [^\n]*">\nfrom the user\n<\/hook>\n<hook name="echo from the project" note="[^"]*">\nfrom/,
  );
});

test('klaus hooks lists and tests hooks; a project cannot name an URL or an unknown event', async () => {
  using place = createTestHome({ '.klaus/config.yaml': PROJECT });
  mkdirSync(place.home, { recursive: true });
  const own = 'hooks:\n  PreToolUse:\n    - hooks:\n        - { type: command, command: "exit 2", timeout: 5 }\n';
  writeFileSync(join(place.home, 'config.yaml'), own);
  const listed = await runKlaus(['hooks', '--json'], { place });
  const rows = listed.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows).toMatchObject([
    { event: 'PreToolUse', matcher: '*', place: 'user', timeout: 5 },
    { event: 'PostToolUse', matcher: 'Write', place: 'project', timeout: 60 },
  ]);
  const env = { KLAUS_SANDBOX: 'host' };
  const tested = await runKlaus(['hooks', 'test', 'read_file', '{"path":"README.md"}', '--json'], { place, env });
  expect({ code: tested.code, decision: JSON.parse(tested.stdout) as unknown }).toMatchObject({
    code: 6,
    decision: { verdict: 'deny', rule: 'hook' },
  });
  for (const text of [
    PROJECT.replace('{ type: command, command: echo from the project }', '{ type: http, url: "http://127.0.0.1:1/" }'),
    PROJECT.replace('PostToolUse', 'PermissionRequest'),
  ]) {
    writeFileSync(join(place.workspace, '.klaus/config.yaml'), text);
    expect(await runKlaus(['hooks'], { place })).toMatchObject({ code: 3 });
  }
});
