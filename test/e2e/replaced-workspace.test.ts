// Covers sdk/engine, core/agent/loop, apps/server/handlers: a stored session whose workspace was replaced by a symbolic link.
//
// Another session, or any program that can write the folder above the workspace, puts the link there. Nothing of the
// session may then read, run or write in the folder to which the link leads.
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Session } from '@klaus/sdk';
import { expect } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const SECRET = 'a private text';
const COMMAND = 'cat notes.txt; echo changed >> notes.txt; echo made > made.txt';

const CALLS: Readonly<Record<string, { name: string; input: Record<string, string | boolean | string[]> }>> = {
  command: { name: 'run_command', input: { command: COMMAND } },
  'background command': { name: 'run_command', input: { command: COMMAND, background: true } },
  read: { name: 'read_file', input: { path: 'notes.txt' } },
  search: { name: 'search_files', input: { pattern: 'private' } },
  write: { name: 'write_file', input: { path: 'made.txt', content: 'made\n' } },
  commit: { name: 'git_commit', input: { message: 'x', paths: ['.'] } },
} as const;

/** How the link comes to be at the path of the workspace. */
const LINKS: Readonly<Record<string, (workspace: string, target: string) => void>> = {
  'the workspace': (workspace, target) => {
    renameSync(workspace, `${workspace}.aside`);
    symlinkSync(target, workspace);
  },
  'a folder above it': (workspace, target) => {
    const above = dirname(workspace);
    renameSync(above, `${above}.aside`);
    symlinkSync(dirname(target), above);
  },
};

/** How the user continues the session. */
const WAYS: Readonly<Record<string, (session: Session, engine: TestEngine) => Promise<unknown>>> = {
  'a prompt': (session) => session.prompt('Continue.').then(() => session.advance()),
  'an approval': async (session, { klaus }) => {
    const [open] = await klaus.approvals();
    await klaus.answer(open!.id, 'approved');
    return await session.advance();
  },
  'a shell command': (session) =>
    session.send({ type: 'shell', command: COMMAND, by: 'user', onAsk: 'deny' }).then(() => session.advance()),
};

function listCases() {
  return Object.keys(LINKS).flatMap((link) =>
    Object.keys(WAYS).flatMap((way) =>
      Object.keys(CALLS)
        .filter((call) => way !== 'a shell command' || call === 'command')
        .map((call) => ({ link, way, call })),
    ),
  );
}

// Tools refuse such a path by themselves.
for (const { cases, tags } of splitCases(listCases(), ({ call }) => call.endsWith('command')))
  test.for(cases)(
    '$call after $way does nothing where a link replaced $link',
    { tags },
    async ({ link, way, call }) => {
      const steps = [
        { when: { tools: true, after: CALLS[call]!.name }, reply: { text: 'Done.' } },
        ...(way === 'an approval' ? [] : [{ when: { tools: true, user: 'Begin' }, reply: { text: 'Begun.' } }]),
        { when: { tools: true }, reply: { calls: [CALLS[call]!] } },
      ];
      await using engine = await createTestEngine({
        script: { steps, fallback: { text: 'Done.' } },
        settings: { 'sandbox.driver': 'bubblewrap' },
      });
      const base = realpathSync(dirname(engine.place.workspace));
      const [workspace, target] = [join(base, 'outer/deep'), join(base, 'private/deep')];
      mkdirSync(workspace, { recursive: true });
      mkdirSync(target, { recursive: true });
      writeFileSync(join(target, 'notes.txt'), `${SECRET}\n`);
      const isAsked = way === 'an approval';
      const session = await engine.klaus.open({ workspace, mode: isAsked ? 'ask' : 'auto', allowAnyWorkspace: true });
      await session.prompt('Begin.', { onAsk: isAsked ? 'wait' : 'deny' });
      await session.advance();
      LINKS[link]!(workspace, target);
      await engine.reopen();
      const again = await engine.klaus.session(session.id);
      await WAYS[way]!(again, engine).catch(() => {});
      expect(readFileSync(join(target, 'notes.txt'), 'utf8')).toBe(`${SECRET}\n`);
      expect(existsSync(join(target, 'made.txt'))).toBe(false);
      const events = await Array.fromAsync(again.events());
      expect(ofType(events, 'tool.finished').filter(({ output }) => output.includes(SECRET))).toEqual([]);
      expect(engine.server.requests.some(({ body }) => body.includes(SECRET))).toBe(false);
    },
  );
