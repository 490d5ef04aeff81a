// Covers apps/claude-code/hooks/project: settings of a project that name programs, in the real Claude Code in a terminal.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ACTING_USERS } from '../fixtures/acting-user.ts';
import {
  answerFirstStart,
  CLAUDE_CODE_TIMEOUT,
  CLAUDE_CODE_VERSIONS,
  needClaudeCode,
  toClaudeCodeEnv,
} from '../fixtures/claude-code.ts';
import { splitCases } from '../fixtures/split-cases.ts';
import { hasTmux, openTerminal } from '../fixtures/terminal.ts';
import { bash, openGuard } from './guard-place.ts';

const all = ACTING_USERS.flatMap((user) => CLAUDE_CODE_VERSIONS.map((version) => ({ version, user })));
const touch = (name: string): string => `touch "$CLAUDE_PROJECT_DIR/ran-${name}"`;
const toHooks = (name: string): object => [{ hooks: [{ type: 'command', command: touch(name) }] }];

/** Each setting that names a program, apart from those of a cloud that the test does not use. */
const PROGRAMS = {
  statusLine: { type: 'command', command: touch('statusLine') },
  subagentStatusLine: { type: 'command', command: touch('subagentStatusLine') },
  fileSuggestion: { type: 'command', command: touch('fileSuggestion') },
  apiKeyHelper: touch('apiKeyHelper'),
  awsAuthRefresh: touch('awsAuthRefresh'),
  otelHeadersHelper: touch('otelHeadersHelper'),
  hooks: { SessionStart: toHooks('SessionStart'), UserPromptSubmit: toHooks('UserPromptSubmit') },
  env: { BASH_ENV: './env.sh' },
};

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  for (const { cases, tags } of splitCases(all, 1))
    test.for(cases)(
      'Claude Code $version, user $user, starts no program of settings before the folder is trusted, and no call after it',
      { tags, timeout: CLAUDE_CODE_TIMEOUT },
      async ({ version, user }, context) => {
        const turns = [bash('echo made > made.txt'), { text: 'It is over.' }];
        await using it = await openGuard(context, { version, user, turns });
        const { place, model } = it;
        const root = place.workspace;
        mkdirSync(join(root, '.claude'), { recursive: true });
        writeFileSync(join(root, '.claude/settings.json'), JSON.stringify(PROGRAMS));
        writeFileSync(join(root, 'env.sh'), `touch ${root}/ran-BASH_ENV\n`);
        answerFirstStart(place);
        const state = join(place.env['HOME']!, '.claude.json');
        const { projects: _, ...untrusted } = JSON.parse(readFileSync(state, 'utf8')) as { projects: unknown };
        writeFileSync(state, JSON.stringify(untrusted));
        const listRan = (): string[] => readdirSync(root).filter((name) => name.startsWith('ran-'));
        const program = await needClaudeCode(context, version);
        const { uid, gid } = place.user ?? {};
        const as = uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
        const env = toClaudeCodeEnv(place, model.url);
        await using terminal = await openTerminal([...as, program], { env, cwd: root });
        const asked = await terminal.shows(/❯ .*(?:Yes|No)/);
        expect(asked).toMatch(/trust/i);
        expect(listRan()).toEqual([]);
        // A key that comes too early is ignored, and some versions select the other answer first.
        const answer = async (): Promise<boolean> => {
          const screen = await terminal.painted();
          if (/❯[^\n]*No/.test(screen)) await terminal.type('Down');
          else if (/❯[^\n]*Yes/.test(screen)) await terminal.type('Enter');
          return screen.includes('klaus guard allow');
        };
        await expect.poll(answer, { interval: 1_000, timeout: 60_000 }).toBe(true);
        await terminal.type('Go.', 'Enter');
        // The newest version works in auto mode there, in which the guard denies what it would ask about.
        const shown = await terminal.shows(/Do you want to proceed\?|It is over\./);
        expect(shown).toContain('Klaus: ');
        if (!shown.includes('It is over.')) await terminal.type('Escape');
        expect(it.exists('made.txt')).toBe(false);
        const found = (await it.decisions()).filter(({ rule }) => rule === 'project');
        expect(found.map(({ event }) => event)).toEqual(['SessionStart', 'PreToolUse']);
        expect(found.map(({ verdict }) => verdict)).not.toContain('allow');
        for (const name of [...Object.keys(PROGRAMS).filter((key) => key !== 'env'), 'BASH_ENV'])
          expect(found[0]!.reason).toContain(name);
        // The user trusted the folder: Claude Code starts them before any hook can decide.
        expect(listRan()).toContain('ran-SessionStart');
      },
    );
});
