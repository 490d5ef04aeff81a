// Covers apps/cli/commands, apps/cli/prompt: klaus agents in a terminal.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAIN, runKlaus, toEnv } from '../fixtures/klaus.ts';
import { hasTmux, openTerminal } from '../fixtures/terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const toFile = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\nYou work.\n`;

/** Writes a definition of the user. Returns its path. */
function writeAgent({ home }: TestHome, name: string, description: string): string {
  const folder = join(home, 'agents');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.md`);
  writeFileSync(file, toFile(name, description));
  return file;
}

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  const open = (place: TestHome, words: readonly string[], env: Record<string, string> = {}) =>
    openTerminal([process.execPath, MAIN, 'agents', ...words], { env: toEnv({ place, env }), cwd: place.workspace });

  test('the wizard asks for a name, a description, each capability and the prompt', async () => {
    using place = createTestHome();
    writeAgent(place, 'taken', 'b');
    await using terminal = await open(place, ['new']);
    await terminal.shows(/^Name:\s*$/m);
    await terminal.type('../x', 'Enter');
    await terminal.shows(/hyphens\s+Name:\s*$/m);
    await terminal.type('taken', 'Enter');
    await terminal.shows(/taken already\.\s+Name:\s*$/m);
    await terminal.type('fresh', 'Enter');
    await terminal.shows(/^Description.*:\s*$/m);
    await terminal.type('Does it.', 'Enter');
    for (const [capability, key] of [
      ['file-operations', 'y'],
      ['code-execution', 'n'],
      ['web-access', 'y'],
      ['agent-creation', 'n'],
      ['deploy', 'n'],
    ] as const) {
      await terminal.shows(new RegExp(`${capability}: .*\\[y/n\\]\\s*$`, 's'));
      await terminal.type(key);
    }
    await terminal.shows(/^System prompt.*:\s*$/m);
    await terminal.type('You do it.', 'Enter');
    expect(await terminal.exitCode()).toBe(0);
    expect(JSON.parse((await runKlaus(['agents', 'show', 'fresh', '--json'], { place })).stdout)).toMatchObject({
      description: 'Does it.',
      capabilities: ['file-operations', 'web-access'],
      systemPrompt: 'You do it.',
    });
  });

  test('Ctrl-C creates nothing', async () => {
    using place = createTestHome();
    await using terminal = await open(place, ['new']);
    await terminal.shows(/^Name:\s*$/m);
    await terminal.type('C-c');
    expect(await terminal.exitCode()).toBe(130);
    expect((await runKlaus(['agents', '--json'], { place })).stdout).toBe('');
  });

  test('a deletion is asked for', async () => {
    using place = createTestHome();
    const file = writeAgent(place, 'a', 'b');
    for (const [key, code] of [
      ['n', 6],
      ['y', 0],
    ] as const) {
      await using terminal = await open(place, ['delete', 'a']);
      await terminal.shows('[y/n]');
      await terminal.type(key);
      expect(await terminal.exitCode()).toBe(code);
      expect(existsSync(file)).toBe(code !== 0);
    }
  });

  test('an invalid edit can be edited again', async () => {
    using place = createTestHome();
    const file = writeAgent(place, 'a', 'b');
    // It breaks the file at first, and repairs it then.
    const editor = join(place.workspace, 'editor.sh');
    writeFileSync(
      editor,
      'if grep -q descripton "$1"; then sed -i "s/descripton: b/description: c/" "$1"; else sed -i s/description/descripton/ "$1"; fi',
    );
    await using terminal = await open(place, ['edit', 'a'], { EDITOR: `sh ${editor}` });
    await terminal.shows(/\[e .*\]/);
    await terminal.type('e');
    expect(await terminal.exitCode()).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(toFile('a', 'c'));
  });
});
