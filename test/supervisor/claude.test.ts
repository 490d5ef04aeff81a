// Covers apps/claude-code/supervisor, adapters/runners/claude-code, core/agent/runner, apps/cli/instance: the real Claude Code in a terminal, switched between sessions.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toText, type Event } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { CLAUDE_CODE_TIMEOUT, CLAUDE_CODE_VERSIONS } from '../fixtures/claude-code.ts';
import { toClaudeRunnerEnv } from '../fixtures/claude-runner.ts';
import { CLEAN, type Emulator, KEYS } from '../fixtures/emulator.ts';
import { ofType } from '../fixtures/engine.ts';
import { untilInstances } from '../fixtures/instances.ts';
import { toEvents } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { test as boxed } from '../fixtures/sandboxed.ts';
import { connectScript } from '../roof-socket/socket-script.ts';
import { toError, untilGone } from '../roof/roof.ts';
import { openSupervised, type SupervisedPlace } from './supervised.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const options = { timeout: CLAUDE_CODE_TIMEOUT };
const ready = /auto mode|for shortcuts|shift\+tab/;

async function say(terminal: Emulator, text: string): Promise<void> {
  terminal.type(text);
  await terminal.shows(text);
  terminal.type(KEYS.enter);
}

/** 2.1.197 pops more levels of the keyboard protocol than it has pushed, which terminals ignore. */
function expectLeft(terminal: Emulator): void {
  const left = terminal.left();
  expect({ ...left, kittyLevels: Math.max(0, left.kittyLevels) }).toEqual(CLEAN);
}

async function current(it: SupervisedPlace): Promise<string> {
  const [instance] = await it.instances();
  return instance!.session!;
}

async function eventsOf(it: SupervisedPlace, id: string): Promise<Event[]> {
  return toEvents((await it.klaus('show', id, '--json')).stdout);
}

/** Claude Code in the sandbox, with the network that it needs for its model. */
function toBoxed(): string {
  const env = Object.keys(toClaudeRunnerEnv('')).join(', ');
  const head = ['name: boxed', 'description: Claude Code.', 'runner: claude-code', `env: [${env}]`];
  return `---\n${head.join('\n')}\ncapabilities: [file-operations, code-execution, web-access]\n---\n`;
}

/** The code with which the socket of the only instance refuses a checkout. */
async function socketError(it: SupervisedPlace, sessionId: string): Promise<string | undefined> {
  const [instance] = await it.instances();
  using script = connectScript(instance!.socket!);
  return (await script.ask('checkout', { sessionId })).error?.code;
}

/** A session that Claude Code has worked on without a terminal. */
async function startDone(it: SupervisedPlace, prompt: string, ...words: string[]): Promise<string> {
  const { stdout, stderr } = await it.klaus('start', 'klaus', prompt, '--detach', '--runner', 'claude-code', ...words);
  const id = stdout.trim();
  expect((await it.klaus('wait', id)).code, stderr).toBe(0);
  return id;
}

for (const { cases, tags } of splitCases(CLAUDE_CODE_VERSIONS, 1))
  describe.runIf(hasScript).each(cases)('Claude Code %s in a terminal', { tags }, (version) => {
    test('is switched from outside and from inside, and its conversations are in the log', options, async (context) => {
      await using it = await openSupervised(context, { version });
      const other = await startDone(it, 'beta');
      await using terminal = await it.open();
      await terminal.shows(ready);
      await say(terminal, 'alpha');
      await terminal.shows('Answer to alpha.');
      const first = await current(it);
      const switched = await it.klaus('checkout', other, '--json');
      expect(JSON.parse(switched.stdout)).toMatchObject({ sessionId: other, previousSessionId: first });
      await terminal.shows('Answer to beta.');
      expect(await current(it)).toBe(other);
      // The log has what was said in the session that was left.
      const said = ofType(await eventsOf(it, first), 'message.added').map(({ message }) => [
        message.role,
        message.parts,
      ]);
      expect(said).toEqual([
        ['user', [{ type: 'text', text: 'alpha' }]],
        ['assistant', [{ type: 'text', text: 'Answer to alpha.' }]],
      ]);
      // From inside: the program starts the command that ends it.
      const klaus = `!${process.execPath} ${process.env['KLAUS_TEST_PROGRAM'] ?? join(import.meta.dirname, '../../apps/cli/main.ts')} checkout ${first.slice(0, 16)}`;
      terminal.type(klaus);
      await terminal.shows('checkout');
      terminal.type(KEYS.enter);
      await untilInstances(it.place, ([shown]) => shown?.session === first);
      await terminal.shows('Answer to alpha.');
      await say(terminal, 'gamma');
      await terminal.shows('Answer to gamma.');
      await say(terminal, '/exit');
      expect(await terminal.ended).toBe(0);
      expectLeft(terminal);
      expect(it.programs()).toEqual([]);
      // The conversation has continued in one session of Claude Code, which a later run without a terminal continues.
      expect((await it.klaus('message', first, 'beta')).code).toBe(0);
      expect((await it.klaus('wait', first)).code).toBe(0);
      const all = await eventsOf(it, first);
      expect(new Set(ofType(all, 'runner.opened').map(({ agentSession }) => agentSession)).size).toBe(1);
      expect(ofType(all, 'run.finished').at(-1)).toMatchObject({ outcome: 'done', turns: 1 });
      expect((await it.klaus('audit', 'verify')).code).toBe(0);
    });
  });

describe.runIf(hasScript)('a session in the terminal', () => {
  boxed('stays in its sandbox', options, async ({ skip }) => {
    await using it = await openSupervised({ skip });
    const { HOME } = it.place.env;
    mkdirSync(join(it.place.home, 'agents'), { recursive: true });
    writeFileSync(join(it.place.home, 'agents', 'boxed.md'), toBoxed());
    writeFileSync(join(HOME!, 'outside.txt'), 'of the user');
    const { stdout } = await it.klaus('start', 'boxed', 'beta', '--detach', '--sandbox', 'bubblewrap');
    const id = stdout.trim();
    expect((await it.klaus('wait', id)).code, (await it.klaus('show', id)).stdout).toBe(0);
    await using terminal = await it.open();
    await terminal.shows(ready);
    expect(await socketError(it, id)).toBeUndefined();
    await terminal.shows('Answer to beta.');
    terminal.type(`!cat ${HOME!}/outside.txt; echo end-$((40 + 2))`);
    await terminal.shows('echo end-');
    terminal.type(KEYS.enter);
    expect(await terminal.shows('end-42')).not.toContain('of the user');
    // A report of another session's conversation: the program is ended, and the other session is neither shown nor linked.
    const other = await startDone(it, 'alpha');
    const before = await eventsOf(it, other);
    const forged = JSON.stringify({ session_id: ofType(before, 'runner.opened')[0]!.agentSession });
    writeFileSync(join(it.place.workspace, 'forged.json'), forged);
    // As the hook does: only a complete file has a name that is read.
    terminal.type('!d=$KLAUS_LINK_FOLDER; cp forged.json $d/f; mv $d/f $d/f.json');
    await terminal.shows('cp forged.json');
    terminal.type(KEYS.enter);
    expect(await terminal.ended).toBe(143);
    expect(await eventsOf(it, other)).toEqual(before);
    expect(it.programs()).toEqual([]);
  });

  test(
    'is the one of a conversation that the user opens in the program',
    { ...options, tags: ['long'] },
    async (context) => {
      await using it = await openSupervised(context);
      const other = await startDone(it, 'beta');
      await using terminal = await it.open();
      await terminal.shows(ready);
      await say(terminal, 'alpha');
      await terminal.shows('Answer to alpha.');
      const first = await current(it);
      const [link] = ofType(await eventsOf(it, other), 'runner.opened');
      await say(terminal, `/resume ${link!.agentSession}`);
      await untilInstances(it.place, ([shown]) => shown?.session === other);
      await terminal.shows('Answer to beta.');
      await say(terminal, 'gamma');
      await terminal.shows('Answer to gamma.');
      await say(terminal, '/exit');
      expect(await terminal.ended).toBe(0);
      const said = async (id: string) =>
        ofType(await eventsOf(it, id), 'message.added').map(({ message }) => toText(message));
      expect(await said(other)).toEqual(['beta', 'Answer to beta.', 'gamma', 'Answer to gamma.']);
      expect(await said(first)).toEqual(['alpha', 'Answer to alpha.']);
      expect(it.programs()).toEqual([]);
    },
  );

  test(
    'follows the program to a new conversation, and is killed if it ignores the end',
    { ...options, tags: ['long'] },
    async (context) => {
      await using it = await openSupervised(context, { env: { KLAUS_SWITCH_GRACE_SECONDS: '1' } });
      const done = await startDone(it, 'beta');
      await using terminal = await it.open();
      await terminal.shows(ready);
      await say(terminal, 'alpha');
      await terminal.shows('Answer to alpha.');
      const first = await current(it);
      await say(terminal, '/clear');
      await it.logged(first, 'runner.opened', 2);
      const opened = ofType(await eventsOf(it, first), 'runner.opened');
      expect(new Set(opened.map(({ agentSession }) => agentSession)).size).toBe(2);
      await say(terminal, 'gamma');
      await terminal.shows('Answer to gamma.');
      // A killed program loses what it has not written to its transcript.
      const projects = join(it.place.env['HOME']!, '.claude/projects');
      const written = () =>
        readdirSync(projects, { recursive: true, encoding: 'utf8' })
          .filter((path) => path.endsWith('.jsonl'))
          .some((path) => readFileSync(join(projects, path), 'utf8').includes('Answer to gamma.'));
      await expect.poll(written, { timeout: 30_000 }).toBe(true);
      for (const pid of it.programs()) process.kill(pid, 'SIGSTOP');
      expect(await socketError(it, done)).toBeUndefined();
      await terminal.shows('Answer to beta.');
      expect(await socketError(it, first)).toBeUndefined();
      await terminal.shows('Answer to gamma.');
      const said = ofType(await eventsOf(it, first), 'message.added').map(({ message }) => toText(message));
      expect(said).toEqual(expect.arrayContaining(['alpha', 'Answer to alpha.', 'gamma', 'Answer to gamma.']));
    },
  );
});

describe.runIf(hasScript)('a switch that is not possible', () => {
  test(
    'names the reason, and the session in the terminal continues',
    { ...options, tags: ['long'] },
    async (context) => {
      await using it = await openSupervised(context);
      const klaus = await it.klaus('start', 'klaus', 'alpha', '--detach');
      const without = klaus.stdout.trim();
      const done = await startDone(it, 'beta');
      await using terminal = await it.open();
      await terminal.shows(ready);
      const first = await current(it);
      const refused = async (...words: string[]) => {
        const { code, message } = toError(await it.klaus('checkout', ...words, '--json'));
        return { code, message };
      };
      // Not one of Claude Code, no parent, another terminal, another process.
      expect(await refused(without)).toMatchObject({ message: expect.stringContaining('klaus attach') as string });
      expect(await refused()).toMatchObject({ message: expect.stringContaining(first) as string });
      await using second = await it.open('--resume', done);
      await second.shows('Answer to beta.');
      const [other] = (await it.instances()).filter(({ session }) => session === done);
      const [own] = (await it.instances()).filter(({ session }) => session === first);
      expect(await refused(done, '--instance', own!.id)).toMatchObject({ code: 'store.busy' });
      await using third = await it.open('--resume', done);
      expect(await third.ended).toBe(9);
      expect(other).toBeDefined();
      await say(terminal, 'alpha');
      await terminal.shows('Answer to alpha.');
      // Both leave.
      for (const each of [terminal, second]) {
        await say(each, '/exit');
        expect(await each.ended).toBe(0);
      }
      expect(it.programs()).toEqual([]);
    },
  );

  test('without its hook, the session in the terminal is not left', { ...options, tags: ['long'] }, async (context) => {
    await using it = await openSupervised(context, { env: { KLAUS_SWITCH_LINK_SECONDS: '3' } });
    const done = await startDone(it, 'beta');
    await using terminal = await it.open('--', '--settings={"disableAllHooks":true}');
    await terminal.shows(ready);
    expect(await socketError(it, done)).toBe('E_HOOK_TIMEOUT');
    await say(terminal, 'alpha');
    await terminal.shows('Answer to alpha.');
  });

  test(
    'a target that does not start returns to the session of before',
    { ...options, tags: ['long'] },
    async (context) => {
      await using it = await openSupervised(context, {
        // The next interactive start fails.
        wrap: 'case " $* " in *" -p "*) ;; *--resume=*) rm "$HOME/fails" 2>/dev/null && exit 3;; esac; exec "$CLAUDE" "$@"',
      });
      const done = await startDone(it, 'beta');
      await using terminal = await it.open();
      await terminal.shows(ready);
      await say(terminal, 'alpha');
      await terminal.shows('Answer to alpha.');
      const first = await current(it);
      writeFileSync(join(it.place.env['HOME']!, 'fails'), '');
      expect(await socketError(it, done)).toBe('E_HOOK_TIMEOUT');
      await terminal.shows('Answer to alpha.');
      expect(await current(it)).toBe(first);
    },
  );
});

describe.runIf(hasScript)('the end', () => {
  test(
    'of Klaus by SIGKILL ends the program, and the session can be continued',
    { ...options, tags: ['long'] },
    async (context) => {
      await using it = await openSupervised(context);
      await using terminal = await it.open();
      await terminal.shows(ready);
      await say(terminal, 'alpha');
      await terminal.shows('Answer to alpha.');
      const first = await current(it);
      const [instance] = await it.instances();
      process.kill(instance!.pid, 'SIGKILL');
      await untilGone(it.programs);
      await using again = await it.open('--resume', first);
      await again.shows('Answer to alpha.');
      process.kill((await it.instances())[0]!.pid, 'SIGTERM');
      expect(await again.ended).toBe(143);
      expectLeft(again);
      expect(it.programs()).toEqual([]);
      const said = ofType(await eventsOf(it, first), 'message.added');
      expect(said).toHaveLength(2);
    },
  );
});
