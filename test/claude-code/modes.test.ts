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
  '.bashrc .zshrc .profile .gitconfig .config/git/config .npmrc .mcp.json .claude.json .claude/settings.local.json .claude/plugins/installed_plugins.json .claude/keybindings.json .claude/settings.json .claude/skills/z/SKILL.md .claude/commands/z.md .ssh/authorized_keys elsewhere/.vscode/tasks.json'.split(
    ' ',
  );
const MODES = ['bypassPermissions', 'acceptEdits', 'default', 'manual', 'plan', 'dontAsk', 'auto'] as const;
/** Modes that an old version does not know. */
const NEW_MODES: readonly string[] = ['manual'];
/** In these, Claude Code asks no user. */
const UNASKED: readonly string[] = ['bypassPermissions', 'plan', 'dontAsk', 'auto'];
const OLD = 'before\n';

/** An MCP server that writes each file that is named. */
const SERVER = `const { createInterface } = require('node:readline');
const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const schema = { type: 'object', properties: { path: { type: 'string' }, content: { type: 'string' } } };
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  let result = {};
  if (method === 'initialize')
    result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'fs', version: '1' } };
  if (method === 'tools/list') result = { tools: [{ name: 'save', description: 'Saves.', inputSchema: schema }] };
  if (method === 'tools/call') {
    const { path, content } = params.arguments;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    result = { content: [{ type: 'text', text: 'saved' }] };
  }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
});`;

const cases = ACTING_USERS.flatMap((user) =>
  CLAUDE_CODE_VERSIONS.flatMap((version) => MODES.map((mode) => ({ version, mode, user }))),
).filter(({ version, mode }) => version === CLAUDE_CODE_VERSIONS[0] || !NEW_MODES.includes(mode));

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
        ...['.claude/settings.local.json', 'HOME/.claude/settings.json', 'HOME/.claude.json'].map((path): Turn => {
          return { name: 'mcp__fs__save', input: { path, content } };
        }),
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
      const server = join(place.workspace, '..', 'server.cjs');
      writeFileSync(server, SERVER);
      const mcp = JSON.stringify({ mcpServers: { fs: { command: process.execPath, args: [server] } } });
      const program = await needClaudeCode(context, version);
      const all = [...words, '--mcp-config', mcp, '-p', 'Go.'];
      const ended = await runClaudeCode(all, { program, place, url: model.url });
      expect(ended).toMatchObject({ code: 0 });
      expect(readFileSync(settings, 'utf8')).toBe(guarded);
      // Claude Code itself writes settings of its own.
      for (const file of files)
        if (existsSync(file)) expect(readFileSync(file, 'utf8'), file).not.toContain('changed by the model');
      expect(readFileSync(letter, 'utf8')).toBe(OLD);
      const text = readFileSync(join(place.workspace, '.vscode/settings.json'), 'utf8');
      expect(text).toBe('{"a":1}\n');
      const decisions = (await it.decisions()).filter(({ event, rule }) => event === 'PreToolUse' && rule !== 'canary');
      expect(decisions.length).toBeGreaterThan(real.length / 2);
      if (UNASKED.includes(mode)) expect(decisions.filter(({ verdict }) => verdict === 'ask')).toEqual([]);
      const saved = decisions.filter(({ tool }) => tool === 'mcp__fs__save');
      expect(saved.map(({ rule }) => rule)).toEqual(['path', 'path', 'path']);
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
