// Covers apps/claude-code/verification: the registration in the configuration of Claude Code.
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const KEY = 'sk-ant-test-1f2e3d4c5b6a';

function install(place: TestHome, ...words: string[]) {
  return runKlaus(['mcp', 'install', ...words], { place, env: { ANTHROPIC_API_KEY: KEY } });
}

test.each([
  ['--user', (place: TestHome) => join(place.env['HOME']!, '.claude.json')],
  ['--project', (place: TestHome) => join(place.workspace, '.mcp.json')],
] as const)('%s keeps everything else byte for byte, and can be undone', async (option, toFile) => {
  using place = createTestHome();
  const file = toFile(place);
  const text =
    '{\n\t"numStartups":  3,\n\t"mcpServers": {\n\t\t"other": {"command":"x" , "args":[]}\n\t},\n\t"z": [1,2 ]\n}\n';
  writeFileSync(file, text, { mode: 0o640 });
  expect((await install(place, option, '--dry-run')).code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect((await install(place, option)).code).toBe(0);
  const installed = readFileSync(file, 'utf8');
  const { mcpServers } = JSON.parse(installed) as { mcpServers: Record<string, unknown> };
  expect(mcpServers).toEqual({
    other: { command: 'x', args: [] },
    klaus: { type: 'stdio', command: 'klaus', args: ['mcp'] },
  });
  // Only lines were added, and a comma.
  const lines = installed.replace('"args":[]},', '"args":[]}').split('\n');
  const added = lines.findIndex((line) => line.includes('"klaus"'));
  expect([...lines.slice(0, added), ...lines.slice(added + 7)].join('\n')).toBe(text);
  expect(installed).not.toContain(KEY);
  expect(statSync(file).mode & 0o777).toBe(0o640);
  await install(place, option);
  expect(readFileSync(file, 'utf8')).toBe(installed);
  await install(place, option, '--uninstall');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(text));
});

test('an invalid file is refused unchanged', async () => {
  using place = createTestHome();
  for (const text of ['{"mcpServers": ', '[]', '{"mcpServers": 1}']) {
    writeFileSync(join(place.workspace, '.mcp.json'), text);
    const { code, stderr } = await install(place, '--project');
    expect(code).toBe(3);
    expect(stderr).toContain('.mcp.json');
    expect(readFileSync(join(place.workspace, '.mcp.json'), 'utf8')).toBe(text);
  }
});

test('a link to the file remains a link, and a missing file is created for its owner alone', async () => {
  using place = createTestHome();
  const home = place.env['HOME']!;
  await install(place);
  expect(statSync(join(home, '.claude.json')).mode & 0o777).toBe(0o600);
  mkdirSync(join(home, 'dotfiles'));
  writeFileSync(join(home, 'dotfiles/claude.json'), '{}');
  mkdirSync(join(home, 'other'));
  symlinkSync(join(home, 'dotfiles/claude.json'), join(home, 'other/.claude.json'));
  const env = { CLAUDE_CONFIG_DIR: join(home, 'other') };
  expect((await runKlaus(['mcp', 'install', '--user'], { place, env })).code).toBe(0);
  expect(readFileSync(join(home, 'dotfiles/claude.json'), 'utf8')).toContain('klaus');
  expect(existsSync(join(place.workspace, '.mcp.json'))).toBe(false);
});
