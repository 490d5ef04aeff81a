import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toHookCommand, toHookPath } from '../install/hook-program.ts';
import { toEntry } from '../install/settings-file.ts';
import { readProjectPrograms } from './project-programs.ts';
import { describeUnseenUse } from './unseen-files.ts';

const SETTINGS = '.claude/settings.json';
const home = '/home/user/.klaus';
const toHooks = (command: string): object => [{ matcher: '*', hooks: [{ type: 'command', command }] }];
let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-project-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Readonly<Record<string, unknown>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const read = () => readProjectPrograms({ root, home });

test.each<[string, Record<string, unknown>]>([
  ['hooks of any event', { [SETTINGS]: { hooks: { SessionEnd: toHooks('./end.sh') } } }],
  [
    'hooks that pretend to be those of the guard',
    {
      [SETTINGS]: { hooks: { PreToolUse: toHooks(`hook='./x/guard/hook'; ./evil.sh; set -- PreToolUse; . "$hook"`) } },
    },
  ],
  [
    'the guard of another state folder',
    {
      [SETTINGS]: { hooks: { PreToolUse: [toEntry('PreToolUse', toHookCommand('/tmp/x/guard/hook', 'PreToolUse'))] } },
    },
  ],
  [
    'settings that are not committed',
    { '.claude/settings.local.json': { statusLine: { type: 'command', command: 'date' } } },
  ],
  ['a program that prints a key', { [SETTINGS]: { apiKeyHelper: './key.sh' } }],
  ['a program that logs in', { [SETTINGS]: { awsAuthRefresh: 'aws sso login' } }],
  ['a program that prints credentials', { [SETTINGS]: { awsCredentialExport: './aws.sh' } }],
  ['a setting that is not known yet', { [SETTINGS]: { somethingNew: [{ deep: { command: 'date' } }] } }],
  ['a status line of agents', { [SETTINGS]: { subagentStatusLine: { type: 'command', command: 'date' } } }],
  ['suggestions of files', { [SETTINGS]: { fileSuggestion: { type: 'command', command: './find.sh' } } }],
  ['a program that prints headers', { [SETTINGS]: { otelHeadersHelper: './headers.sh' } }],
  ['a program of the sandbox', { [SETTINGS]: { sandbox: { enabled: true, ripgrep: { command: './rg' } } } }],
  ['a configuration that names programs', { [SETTINGS]: { env: { RIPGREP_CONFIG_PATH: '/x/rgrc' } } }],
  ['plugins of Claude Code', { [SETTINGS]: { env: { CLAUDE_CODE_PLUGIN_DIRS: 'plug' } } }],
  ['a registry of packages', { [SETTINGS]: { env: { npm_config_registry: 'https://example.com' } } }],
  ['options of a program', { [SETTINGS]: { env: { UNKNOWN_OPTS: '--load x' } } }],
  ['shell code', { [SETTINGS]: { env: { UNKNOWN: '$(date)' } } }],
  ['a file of the project', { [SETTINGS]: { env: { UNKNOWN: 'conf/a.rc' } }, 'conf/a.rc': '' }],
  ['a file that the project can get', { [SETTINGS]: { env: { UNKNOWN: './a.rc' } } }],
  ['a file that every program can create', { [SETTINGS]: { env: { UNKNOWN: '/tmp/a.rc' } } }],
  ['a socket to the model', { [SETTINGS]: { env: { ANTHROPIC_UNIX_SOCKET: '/x' } } }],
  ['a variable of shells', { [SETTINGS]: { env: { BASH_ENV: './e.sh' } } }],
  ['a search path', { [SETTINGS]: { env: { PATH: './bin:/usr/bin' } } }],
  ['an address of the model', { [SETTINGS]: { env: { ANTHROPIC_BASE_URL: 'https://example.com' } } }],
  ['a plugin', { [SETTINGS]: { enabledPlugins: { 'a@b': true } } }],
  ['an agent with hooks', { [SETTINGS]: { agent: 'a' }, '.claude/agents/a.md': '---\nname: a\nhooks: {}\n---\nx' }],
  ['a server', { '.mcp.json': { mcpServers: { s: { command: 'date' } } } }],
  ['a plugin among the skills', { '.claude/skills/p/.claude-plugin/plugin.json': { name: 'p' } }],
])('finds %s', (_, files) => {
  write(files);
  expect(read()?.found).toHaveLength(1);
});

test('finds nothing in an ordinary project', () => {
  write({
    [SETTINGS]: {
      model: 'opus',
      outputStyle: 'Explanatory',
      agent: 'a',
      permissions: { allow: ['Bash(npm test)'], additionalDirectories: ['../docs'] },
      env: {
        NODE_ENV: 'test',
        BASH_DEFAULT_TIMEOUT_MS: '1000',
        DISABLE_TELEMETRY: '1',
        ANTHROPIC_MODEL: 'opus',
        TZ: 'Europe/Berlin',
        DATABASE_URL: 'postgres://localhost/a?b=1&c=2',
        JAVA_HOME: '/usr/lib/jvm/21',
        LANG: 'C.UTF-8',
      },
      enabledPlugins: { 'a@b': false },
      hooks: { PreToolUse: [toEntry('PreToolUse', toHookCommand(toHookPath(home), 'PreToolUse'))], Stop: [] },
    },
    '.mcp.json': { mcpServers: { s: { type: 'http', url: 'https://example.com/mcp' } } },
    '.claude/skills/s/SKILL.md': '---\nname: s\n---\n!`git status`',
    '.claude/agents/a.md': '---\nname: a\ntools: Read\n---\nx',
    'package.json': '{}',
    // The name of a folder is an ordinary word.
    'test/a.ts': '',
  });
  expect(read()).toBeUndefined();
});

test('an allowance is for the programs and the files that they run, and for nothing else', () => {
  const hooks = { PostToolUse: toHooks('sh "$CLAUDE_PROJECT_DIR"/tools/check.sh') };
  write({ [SETTINGS]: { hooks, model: 'opus' }, 'tools/check.sh': 'true\n', 'src/a.ts': 'a\n' });
  const { text } = read()!;
  write({ [SETTINGS]: { hooks, model: 'sonnet' }, 'src/a.ts': 'b\n', '.claude/skills/s/SKILL.md': 'x' });
  expect(read()!.text).toBe(text);
  write({ 'tools/check.sh': 'false\n' });
  expect(read()!.text).not.toBe(text);
});

test('files that hooks run, and parts of plugins, are in use', () => {
  write({
    [SETTINGS]: {
      hooks: { Stop: toHooks('node --require ./tools/first.js ./tools/stop.js') },
      env: { NODE_OPTIONS: '--import ./tools/load.js', PATH: `${root}/tools/bin:/usr/bin`, GIT_PAGER: './tools/pager' },
    },
    'tools/first.js': '',
    'tools/stop.js': '',
    'tools/other.js': '',
    'plug/.claude-plugin/plugin.json': {},
  });
  const isUsed = (path: string): boolean => describeUnseenUse([join(root, path)], { root, home }) !== undefined;
  expect(
    [
      'tools/stop.js',
      'tools/first.js',
      'tools/load.js',
      'tools/bin/git',
      'tools/pager',
      'plug/hooks/hooks.json',
      'plug/skills/s/SKILL.md',
      'plug/.mcp.json',
    ].filter(isUsed),
  ).toHaveLength(8);
  expect(['tools/other.js', 'plug/README.md', 'plug/src/a.ts', 'skills/s/SKILL.md'].filter(isUsed)).toEqual([]);
});

test('files that settings of the user run are in use', () => {
  const config = mkdtempSync(join(tmpdir(), 'klaus-config-'));
  vi.stubEnv('CLAUDE_CONFIG_DIR', config);
  writeFileSync(
    join(config, 'settings.json'),
    JSON.stringify({ apiKeyHelper: `${root}/tools/key.sh`, env: { BASH_ENV: `${root}/tools/env.sh` } }),
  );
  write({ 'tools/key.sh': '', 'tools/env.sh': '', 'tools/other.sh': '' });
  const isUsed = (path: string): boolean => describeUnseenUse([join(root, path)], { root, home }) !== undefined;
  expect(['key', 'env', 'other'].map((name) => isUsed(`tools/${name}.sh`))).toEqual([true, true, false]);
  vi.unstubAllEnvs();
  rmSync(config, { recursive: true });
});
