// Covers apps/claude-code/hooks, apps/cli/commands/guard: what the guard asks about does not happen in any mode of the real Claude Code.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startModelServer } from '@klaus/sdk';
import { CLAUDE_CODE_TIMEOUT, CLAUDE_CODE_VERSIONS, needClaudeCode, runClaudeCode } from '../fixtures/claude-code.ts';
import { ACTING_USERS } from '../fixtures/acting-user.ts';
import { bash, openGuard, toScript, type Turn } from './guard-place.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const timeout = CLAUDE_CODE_TIMEOUT;

/** Places about which Claude Code has rules of its own, and others. */
const IN_PROJECT =
  '.claude/settings.json .claude/agents/a.md .claude/skills/s/SKILL.md .claude/hooks/h.sh .mcp.json .vscode/tasks.json .idea/x.xml .husky/pre-commit .gitmodules .envrc .npmrc .pre-commit-config.yaml .devcontainer/devcontainer.json .bashrc .gitconfig .yarnrc.yml .cargo/config.toml AGENTS.md .github/workflows/ci.yml .cursor/rules/a.mdc .klaus/policy.yaml'.split(
    ' ',
  );
const IN_HOME =
  '.bashrc .zshrc .profile .gitconfig .config/git/config .npmrc .mcp.json .claude/settings.json .claude/skills/z/SKILL.md .claude/commands/z.md .ssh/authorized_keys elsewhere/.vscode/tasks.json'.split(
    ' ',
  );
const MODES = ['bypassPermissions', 'acceptEdits', 'default'] as const;
const OLD = 'before\n';

const cases = ACTING_USERS.flatMap((user) =>
  CLAUDE_CODE_VERSIONS.flatMap((version) => MODES.map((mode) => ({ version, mode, user }))),
);

for (const { cases: each, tags } of splitCases(cases, 1))
  test.for(each)(
    'nothing that is asked about happens in $mode of Claude Code $version, user $user',
    { tags, timeout },
    async ({ version, mode, user }, context) => {
      const content = 'changed by the model\n';
      const write = (file_path: string): Turn => ({ name: 'Write', input: { file_path, content } });
      const turns: Turn[] = [
        ...IN_PROJECT.map(write),
        ...IN_HOME.map((path) => write(`HOME/${path}`)),
        bash(`echo '${content.trim()}' > .claude/settings.local.json`),
        bash(`echo '${content.trim()}' | tee .vscode/launch.json`),
        bash(`echo '${content.trim()}' >> ~/.bashrc`),
        {
          name: 'Edit',
          input: { file_path: '.vscode/settings.json', old_string: 'a', new_string: 'changed by the model' },
        },
        { name: 'NotebookEdit', input: { notebook_path: '.claude/n.ipynb', new_source: 'changed by the model' } },
        bash('rm -rf ~/precious'),
      ];
      await using it = await openGuard(context, { version, user, script: { steps: [], fallback: { text: '' } } });
      const { place } = it;
      const home = place.env['HOME']!;
      const settings = join(home, '.claude/settings.json');
      const guarded = readFileSync(settings, 'utf8');
      const files = [
        ...IN_PROJECT.map((path) => join(place.workspace, path)),
        ...IN_HOME.map((path) => join(home, path)).filter((path) => path !== settings),
        ...['.claude/settings.local.json', '.vscode/launch.json'].map((path) => join(place.workspace, path)),
      ];
      const letter = join(home, 'precious/letter.txt');
      mkdirSync(dirname(letter), { recursive: true });
      writeFileSync(letter, OLD);
      mkdirSync(join(place.workspace, '.vscode'), { recursive: true });
      writeFileSync(join(place.workspace, '.vscode/settings.json'), '{"a":1}\n');
      const real = JSON.parse(JSON.stringify(turns).replaceAll('"HOME/', `"${home}/`)) as Turn[];
      const model = await startModelServer({ script: toScript([...real, { text: 'It is over.' }]) });
      context.onTestFinished(() => model.close());
      const words = mode === 'bypassPermissions' ? ['--dangerously-skip-permissions'] : ['--permission-mode', mode];
      const program = await needClaudeCode(context, version);
      expect(await runClaudeCode([...words, '-p', 'Go.'], { program, place, url: model.url })).toMatchObject({
        code: 0,
      });
      expect(readFileSync(settings, 'utf8')).toBe(guarded);
      // Claude Code itself writes settings of its own.
      for (const file of files)
        if (existsSync(file)) expect(readFileSync(file, 'utf8'), file).not.toContain('changed by the model');
      expect(readFileSync(letter, 'utf8')).toBe(OLD);
      const text = readFileSync(join(place.workspace, '.vscode/settings.json'), 'utf8');
      expect(text).toBe('{"a":1}\n');
      const decisions = (await it.decisions()).filter(({ event, rule }) => event === 'PreToolUse' && rule !== 'canary');
      expect(decisions.length).toBeGreaterThan(real.length / 2);
      if (mode === 'bypassPermissions') expect(decisions.filter(({ verdict }) => verdict === 'ask')).toEqual([]);
    },
  );

test(
  'a call about which no user would be asked can be allowed by the user, for its session',
  { timeout },
  async (context) => {
    const command = 'rm -rf ~/precious';
    await using it = await openGuard(context, { user: ACTING_USERS[0], turns: [bash(command), { text: 'Denied.' }] });
    const letter = join(it.place.env['HOME']!, 'precious/letter.txt');
    mkdirSync(dirname(letter), { recursive: true });
    writeFileSync(letter, OLD);
    const id = '33333333-2222-4333-8444-555555555555';
    expect(await it.claude('Go.', '--session-id', id)).toMatchObject({ code: 0 });
    expect(existsSync(letter)).toBe(true);
    const denied = (await it.decisions()).findLast(({ tool, verdict }) => tool === 'Bash' && verdict === 'deny')!;
    expect(await it.klaus('guard', 'allow', String(denied.seq))).toMatchObject({ code: 0 });
    const event = JSON.stringify({
      hook_event_name: 'PreToolUse',
      session_id: id,
      cwd: it.place.workspace,
      permission_mode: 'bypassPermissions',
      tool_name: 'Bash',
      tool_input: { command, description: 'A step' },
    });
    const file = join(it.place.workspace, '..', 'event.json');
    writeFileSync(file, event);
    expect((await it.klaus('guard', 'test', '--event', file)).stdout.trim()).toBe('{}');
    writeFileSync(file, event.replace(id, '44444444-2222-4333-8444-555555555555'));
    expect((await it.klaus('guard', 'test', '--event', file)).stdout).toContain('"deny"');
  },
);
