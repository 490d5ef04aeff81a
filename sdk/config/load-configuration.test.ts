import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { isKlausError, SETTING_KEYS, SETTINGS, toAllowed, type Setting, type SettingKey } from '@klaus/core/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfiguration, type ConfigurationInput } from './load-configuration.ts';

const SECRET = 'sk-ant-api03-0123456789abcdefWXYZ';

let base: string;
let home: string;
let repo: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'klaus-config-')));
  home = join(base, 'user', '.klaus');
  repo = join(base, 'repo');
  await mkdir(home, { recursive: true });
  await mkdir(join(repo, '.git'), { recursive: true });
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

const putUser = (yaml: string) => put(join(home, 'config.yaml'), yaml);
const putProject = (yaml: string, folder = repo) => put(join(folder, '.klaus', 'config.yaml'), yaml);
const putEnv = (text: string) => put(join(home, '.env'), text);
const load = (input: Partial<ConfigurationInput> = {}) => loadConfiguration({ env: {}, home, cwd: repo, ...input });

/** Everything a user could see of a refusal. */
async function refusal(input: Partial<ConfigurationInput> = {}): Promise<{ message: string; hint: string }> {
  const error: unknown = await load(input).then(
    () => expect.unreachable('it was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!isKlausError(error)) throw error;
  expect(error.code).toBe('config');
  return { message: error.message, hint: error.hint ?? '' };
}

test('the secret files of a project are added to those of the user', async () => {
  await putUser('secrets:\n  files: ["private/**"]\n');
  await putProject('secrets:\n  files: ["config/prod.yaml"]\n');
  expect((await load()).values.secrets.files).toEqual(['private/**', 'config/prod.yaml']);
  const settings = { 'secrets.files': ['other'] };
  expect((await load({ settings })).values.secrets.files).toEqual(['other', 'config/prod.yaml']);
  await putProject('secrets:\n  files: ["../outside"]\n');
  expect((await refusal()).message).toContain('secrets.files');
});

describe('precedence', () => {
  const layers: [string, (value: number) => Promise<Partial<ConfigurationInput>>][] = [
    ['user file', async (value) => (await putUser(`limits:\n  tokens: ${value}\n`), {})],
    ['project file', async (value) => (await putProject(`limits:\n  tokens: ${value}\n`), {})],
    ['home .env', async (value) => (await putEnv(`AGENT_TOKEN_BUDGET=${value}\n`), {})],
    ['environment', async (value) => ({ env: { AGENT_TOKEN_BUDGET: String(value) } })],
    ['option', async (value) => ({ settings: { 'limits.tokens': value } })],
  ];

  test('a stronger source overrides all weaker ones', async () => {
    let input: Partial<ConfigurationInput> = {};
    expect((await load()).sources['limits.tokens']).toEqual({ source: 'default' });
    // Numbers fall, so that the project's is narrower than the user's.
    for (const [index, [source, set]] of layers.entries()) {
      input = { ...input, ...(await set(900 - index)) };
      const configuration = await load(input);
      expect(configuration.get('limits.tokens')).toBe(900 - index);
      expect(configuration.sources['limits.tokens'].source).toBe(source);
    }
  });

  test('names the variable, or the file and its line', async () => {
    await putUser('# mine\nlimits:\n  usd: 3\n');
    await putEnv('\nexport AGENT_MODEL="haiku" # cheap\n');
    const { sources } = await load({ env: { KLAUS_RETRY_ATTEMPTS: '3' } });
    expect(sources['limits.usd']).toEqual({ source: 'user file', where: `${join(home, 'config.yaml')}:3` });
    expect(sources.model).toEqual({ source: 'home .env', where: `${join(home, '.env')}:2` });
    expect(sources['retry.attempts']).toEqual({ source: 'environment', where: 'KLAUS_RETRY_ATTEMPTS' });
  });

  test('empty variables, null and undefined count as unset', async () => {
    await putEnv('AGENT_MODEL=\n');
    await putUser('limits:\nmodel:\napprove: ~\n');
    const configuration = await load({ env: { AGENT_MODEL: '  ' }, settings: { model: undefined } });
    expect(configuration.get('model')).toBe('opus');
    expect(configuration.get('approve')).toBe('auto');
  });

  test('without any file every value is a default', async () => {
    const configuration = await load({ home: join(base, 'nowhere') });
    expect(new Set(SETTING_KEYS.map((key) => configuration.sources[key].source))).toEqual(new Set(['default']));
    expect(configuration.values.limits).toEqual({ tokens: 200_000, usd: 0, toolCalls: 100, turns: 0, minutes: 0 });
    expect(configuration.get('workspace')).toBe(repo);
  });

  test('a .env file in the project is never read', async () => {
    await put(join(repo, '.env'), 'ANTHROPIC_BASE_URL=http://127.0.0.1:1\nAGENT_MODEL=haiku\n');
    const configuration = await load();
    expect(configuration.get('baseUrls.anthropic')).toBeUndefined();
    expect(configuration.get('model')).toBe('opus');
  });

  test('a relative workspace is relative to its source', async () => {
    expect((await load({ env: { AGENT_WORKSPACE: 'sub' } })).get('workspace')).toBe(join(repo, 'sub'));
    await putUser('workspace: work\n');
    expect((await load()).get('workspace')).toBe(join(home, 'work'));
    await putUser('workspace: ~/work\n');
    expect((await load({ env: { HOME: base } })).get('workspace')).toBe(join(base, 'work'));
  });

  test('options may be text, as from a command line', async () => {
    const configuration = await load({ settings: { 'limits.usd': '1.5', requirePatchApproval: 'yes' } });
    expect(configuration.get('limits.usd')).toBe(1.5);
    expect(configuration.get('requirePatchApproval')).toBe(true);
  });
});

describe('the project file', () => {
  const never: [SettingKey, string][] = [
    ['fallback', 'sonnet'],
    ['keys.anthropic', SECRET],
    ['keys.openrouter', SECRET],
    ['baseUrls.anthropic', 'http://127.0.0.1:1'],
    ['baseUrls.openai', 'https://collector.test'],
    ['tiers.anthropic.opus', 'other'],
    ['prices', '{ "openai/x": { input: 0, output: 0 } }'],
    ['workspace', '/elsewhere'],
    ['retry.attempts', '1000'],
    ['sandbox.image', 'evil/image'],
    ['dockerEnabled', 'false'],
    ['git.userEmail', 'someone@else.test'],
    ['cluster.postgresUrl', 'postgres://klaus:word@collector.test/klaus'],
    ['cluster.temporalAddress', 'collector.test:7233'],
  ];

  test.each(never)('may not set %s at all', async (key, value) => {
    const path = await putProject(`${key}: ${value}\n`);
    const { message, hint } = await refusal();
    expect(message).toContain(`${path}:1: `);
    expect(message).toContain(key);
    expect(message + hint).not.toContain(value);
    // Not even where a stronger source hides it.
    expect(await refusal({ env: { [(SETTINGS[key] as Setting).env ?? 'NONE']: value } })).toEqual({ message, hint });
  });

  const wider: [SettingKey, string, string][] = [
    ['approve', 'edits', 'ask'],
    ['onAsk', 'wait', ''],
    ['onAsk', 'wait', 'deny'],
    ['sandbox.driver', 'host', ''],
    ['sandbox.driver', 'host', 'host'],
    ['sandbox.driver', 'docker', ''],
    ['sandbox.driver', 'docker', 'bubblewrap'],
    ['limits.tokens', '200001', ''],
    ['limits.tokens', '0', ''],
    ['limits.usd', '5', '2'],
    ['limits.usd', '0', '2'],
    ['limits.toolCalls', '101', ''],
    ['limits.turns', '11', '10'],
    ['maxOutputTokens', '9000', ''],
    ['maxRetries', '4', ''],
    ['maxToolOutputContext', '8001', ''],
    ['maxSearchResults', '501', ''],
    ['maxPromptChars', '32001', ''],
    ['sandbox.timeoutMs', '120001', ''],
    ['sandbox.memoryMb', '2048', ''],
    ['sandbox.cpus', '1.5', ''],
    ['sandbox.processes', '257', ''],
    ['requirePatchApproval', 'false', 'true'],
    ['checkpoint', 'manual', ''],
    ['model', 'openrouter/vendor/model', ''],
    ['model', 'opus', 'openai/local'],
    ['models.allow', '[openai/a, openai/b]', '[openai/a]'],
    ['models.allow', '[openai/*]', '[openai/a*]'],
    ['models.allow', '["*"]', '[openai/*, anthropic/a]'],
  ];

  test.each(wider)('may not widen %s to %s where %j holds', async (key, value, mine) => {
    const path = await putProject(`${key}: ${value}\n`);
    await putUser(mine === '' ? '' : `${key}: ${mine}\n`);
    const { message, hint } = await refusal();
    expect(message).toContain(`${path}:1: `);
    expect(message).toContain(key);
    const rule = (SETTINGS[key] as Setting).project;
    expect(hint).toContain(typeof rule === 'object' ? rule.rule : '');
  });

  const narrower: [SettingKey, string, string, unknown][] = [
    ['approve', 'plan', 'edits', 'plan'],
    ['approve', 'edits', '', 'edits'],
    ['onAsk', 'deny', '', 'deny'],
    ['onAsk', 'deny', 'wait', 'deny'],
    ['sandbox.driver', 'bubblewrap', '', 'bubblewrap'],
    ['sandbox.driver', 'docker', 'host', 'docker'],
    ['limits.tokens', '5000', '', 5000],
    ['limits.usd', '5', '', 5],
    ['limits.usd', '1', '2', 1],
    ['limits.turns', '0', '', 0],
    ['sandbox.memoryMb', '512', '', 512],
    ['sandbox.memoryMb', '2048', '4096', 2048],
    ['sandbox.cpus', '1', '', 1],
    ['requirePatchApproval', 'true', '', true],
    ['model', 'haiku', '', 'haiku'],
    ['models.allow', '[openai/a]', '[openai/a, openai/b]', ['openai/a']],
    ['models.allow', '[openai/a]', '', ['openai/a']],
    ['models.allow', '[openai/a*]', '[openai/*]', ['openai/a*']],
    ['compactAt', '0.5', '', 0.5],
  ];

  test.each(narrower)('may set %s to %s where %j holds', async (...row) => {
    const [key, value, mine, expected] = row;
    await putProject(`${key}: ${value}\n`);
    await putUser(mine === '' ? '' : `${key}: ${mine}\n`);
    const configuration = await load();
    expect(configuration.get(key)).toEqual(expected);
    expect(configuration.sources[key].source).toBe('project file');
  });

  test('cannot move commands out of Docker when the user requires Docker', async () => {
    await putProject('sandbox.driver: bubblewrap\n');
    await refusal({ env: { DOCKER_ENABLED: 'true' } });
    expect((await load({ env: { DOCKER_ENABLED: 'false' } })).get('sandbox.driver')).toBe('bubblewrap');
    await putProject('sandbox.driver: docker\n');
    expect((await load({ env: { DOCKER_ENABLED: 'true' } })).get('sandbox.driver')).toBe('docker');
    expect((await refusal({ env: { DOCKER_ENABLED: 'false' } })).message).toContain('sandbox.driver');
  });

  test('has no effect on a value from a stronger source of the user', async () => {
    await putProject('approve: auto\n');
    await putUser('approve: ask\n');
    await refusal();
    const configuration = await load({ settings: { approve: 'plan' } });
    expect(configuration.get('approve')).toBe('plan');
  });

  test('is found from a folder inside the repository, the nearest first', async () => {
    const inside = join(repo, 'a', 'b');
    await mkdir(inside, { recursive: true });
    await putProject('model: haiku\n');
    expect((await load({ cwd: inside })).get('model')).toBe('haiku');
    await putProject('model: sonnet\n', join(repo, 'a'));
    expect((await load({ cwd: inside })).get('model')).toBe('sonnet');
  });

  test('is not searched above the root of the repository', async () => {
    await putProject('model: haiku\n', base);
    expect((await load()).get('model')).toBe('opus');
  });

  test('counts only in the current folder outside a repository', async () => {
    const plain = join(base, 'plain', 'deep');
    await mkdir(plain, { recursive: true });
    await putProject('model: haiku\n', join(base, 'plain'));
    expect((await load({ cwd: plain })).get('model')).toBe('opus');
    expect((await load({ cwd: join(base, 'plain') })).get('model')).toBe('haiku');
  });

  test("is not the user's own file in a home folder that is a repository", async () => {
    await mkdir(join(base, 'user', '.git'));
    await putUser('approve: plan\nsandbox.driver: host\n');
    const configuration = await load({ cwd: join(base, 'user') });
    expect(configuration.get('sandbox.driver')).toBe('host');
    expect(configuration.sources['sandbox.driver'].source).toBe('user file');
  });

  test('may not be a link that leads outside the repository', async () => {
    const target = await put(join(base, 'credentials'), `token ${SECRET}\n`);
    await mkdir(join(repo, '.klaus'));
    await symlink(target, join(repo, '.klaus', 'config.yaml'));
    const { message } = await refusal();
    expect(message).toContain('.klaus/config.yaml');
    expect(message).not.toContain(SECRET);
  });

  test('has bounded aliases and nesting', async () => {
    const rows = ['  - &a0 [x, x]'];
    for (let i = 1; i < 30; i++) rows.push(`  - &a${i} [*a${i - 1}, *a${i - 1}]`);
    const path = await putProject(`models.allow:\n${rows.join('\n')}\n`);
    expect((await refusal()).message).toContain(`${path}: `);
    await putProject('['.repeat(100_000));
    expect((await refusal()).message).toContain(path);
  });

  test('cannot write to the terminal through an error', async () => {
    await putProject('"\\e[2Jmodel": haiku\n');
    expect((await refusal()).message).not.toContain('\u001b');
    await putProject('model: "\\e[2J"\n');
    expect((await refusal()).message).not.toContain('\u001b');
  });
});

describe('invalid values', () => {
  test.each<[string, Partial<ConfigurationInput>, string[], string]>([
    [
      'a variable',
      { env: { AGENT_TOKEN_BUDGET: 'lots' } },
      ['limits.tokens', '"lots"', 'AGENT_TOKEN_BUDGET'],
      toAllowed(SETTINGS['limits.tokens']),
    ],
    [
      'a negative limit',
      { env: { AGENT_MAX_TOOL_CALLS: '-1' } },
      ['limits.toolCalls', '"-1"', 'AGENT_MAX_TOOL_CALLS'],
      toAllowed(SETTINGS['limits.toolCalls']),
    ],
    ['an option', { settings: { approve: 'yolo' } }, ['approve', '"yolo"', 'option'], 'plan, ask, edits, auto'],
    [
      'a number of the wrong kind',
      { settings: { 'limits.usd': Number.NaN } },
      ['limits.usd', 'null', 'option'],
      toAllowed(SETTINGS['limits.usd']),
    ],
    ['a boolean', { env: { DOCKER_ENABLED: 'perhaps' } }, ['dockerEnabled', '"perhaps"', 'DOCKER_ENABLED'], 'true'],
  ])('name key, value, place and what is allowed: %s', async (...row) => {
    const [, input, message, hint] = row;
    const refused = await refusal(input);
    for (const part of message) expect(refused.message).toContain(part);
    expect(refused.hint).toContain(hint);
  });

  test('in a file are reported with the line', async () => {
    const user = await putUser('model: opus\nsandbox:\n  driver: chroot\n');
    const { message, hint } = await refusal();
    expect(message).toContain(`${user}:3`);
    expect(hint).toContain('bubblewrap, docker, kubernetes, host');
    await putUser('');
    const env = await putEnv('# note\nAGENT_MAX_TOKENS=0\n');
    const refused = await refusal();
    for (const part of ['AGENT_MAX_TOKENS', `${env}:2`]) expect(refused.message).toContain(part);
  });

  test('an unknown key names the nearest', async () => {
    const path = await putUser('model: opus\nlimits:\n  dollars: 3\nlimit:\n  usd: 3\n');
    expect((await refusal()).message).toMatch(new RegExp(`^${path}:3: .*"limits\\.dollars"`));
    await putUser('limit:\n  usd: 3\n');
    expect((await refusal()).hint).toContain('limits');
    await putUser('AGENT_MODEL: haiku\n');
    expect((await refusal()).hint).toContain('model');
    await putUser('limits: 3\n');
    expect((await refusal()).hint).toContain('limits.usd');
  });

  test('an unknown option names the nearest', async () => {
    const { message, hint } = await refusal({ settings: { aprove: 'ask' } });
    expect(message).toContain('"aprove"');
    expect(hint).toContain('approve');
  });

  test('a duplicate key is rejected in either spelling', async () => {
    await putUser('limits:\n  usd: 3\nlimits.usd: 5\n');
    expect((await refusal()).message).toMatch(/:3: .*limits\.usd/);
    await putUser('model: a\nmodel: b\n');
    expect((await refusal()).message).toMatch(/:2:1: .*DUPLICATE_KEY/);
  });

  test('a file that exists and cannot be read is an error', async () => {
    await mkdir(join(home, 'config.yaml'));
    expect((await refusal()).message).toContain(join(home, 'config.yaml'));
  });
});

describe('secrets', () => {
  test('are shown as their last four characters', async () => {
    await putUser(`keys:\n  openai: short\n`);
    const configuration = await load({ env: { ANTHROPIC_API_KEY: SECRET } });
    expect(configuration.get('keys.anthropic')).toBe(SECRET);
    const rows = configuration.explain();
    expect(rows.find((row) => row.key === 'keys.anthropic')).toMatchObject({
      value: 'set (…WXYZ)',
      source: 'environment',
      where: 'ANTHROPIC_API_KEY',
    });
    expect(rows.find((row) => row.key === 'keys.openai')?.value).toBe('set');
    expect(rows.find((row) => row.key === 'keys.openrouter')?.value).toBe('none');
    for (const text of [JSON.stringify(rows), JSON.stringify(configuration), inspect(configuration, { depth: 9 })]) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('short');
    }
  });

  test.each<[string, () => Promise<Partial<ConfigurationInput>>]>([
    ['a key with a space', async () => ({ env: { ANTHROPIC_API_KEY: `${SECRET} x` } })],
    ['a key of the wrong type', async () => ({ settings: { 'keys.openai': { key: SECRET } } })],
    ['a key in the wrong variable', async () => ({ env: { AGENT_TOKEN_BUDGET: SECRET } })],
    ['a password in a URL', async () => ({ env: { OPENAI_BASE_URL: `https://me:${SECRET}@example.test/v1` } })],
    ['a key in a URL', async () => ({ env: { OPENAI_BASE_URL: `https://example.test/v1?key=${SECRET}` } })],
    ['a file that is no YAML', async () => (await putUser(`keys: {anthropic: ${SECRET}\n- [`), {})],
    ['a file that is only a key', async () => (await putUser(SECRET), {})],
    ['a key as the name of a setting', async () => (await putUser(`${SECRET}: 1\n`), {})],
    ['a key under a wrong name', async () => (await putUser(`keys:\n  antropic: ${SECRET}\n`), {})],
    ['a project file with a key', async () => (await putProject(`keys:\n  anthropic: ${SECRET}\n`), {})],
  ])('are in no error: %s', async (_, set) => {
    const { message, hint } = await refusal(await set());
    expect(message + hint).not.toContain(SECRET.slice(7));
  });
});
