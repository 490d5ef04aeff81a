// Covers apps/cli/commands, apps/cli/prompt: klaus agents in a terminal.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAIN, runKlaus, toEnv } from '../fixtures/klaus.ts';
import { CLEAN, type Emulator, KEYS, openEmulator } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { hasTmux, openTerminal } from '../fixtures/terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

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
    await terminal.shows('[y/n]');
    await terminal.type('y');
    expect(await terminal.exitCode()).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(toFile('a', 'c'));
  });
});

describe.runIf(hasScript)('the wizard (needs script)', () => {
  const open = (place: TestHome, options: { env?: Record<string, string>; columns?: number; words?: string[] } = {}) =>
    openEmulator([process.execPath, MAIN, 'agents', 'new', ...(options.words ?? [])], {
      env: toEnv({ place, ...options }),
      cwd: place.workspace,
      columns: options.columns ?? 80,
      rows: 60,
    });
  const answer = async (terminal: Emulator, question: RegExp, keys: string): Promise<void> => {
    await terminal.shows(question);
    terminal.type(keys);
  };
  /** The question that waits for an answer. */
  const asks = (text: string): RegExp => new RegExp(`^◆ {2}${text}`, 'm');
  const show = async (place: TestHome, name: string): Promise<unknown> =>
    JSON.parse((await runKlaus(['agents', 'show', name, '--json'], { place })).stdout);

  test.each([80, 40])('asks for what is missing, until it is valid, in %i columns', async (columns) => {
    using place = createTestHome();
    writeAgent(place, 'taken', 'b');
    await using terminal = await open(place, { columns });
    await answer(terminal, asks('Name'), `../x${KEYS.enter}`);
    await answer(terminal, /^▲ {2}Name\n.*\n└ {2}\S/m, `${KEYS.ctrlU}taken${KEYS.enter}`);
    await answer(terminal, /^▲ {2}Name\n│ {2}taken.*\n└ .*taken/m, `${KEYS.ctrlU}fresh${KEYS.enter}`);
    await answer(terminal, asks('Description'), KEYS.enter);
    await answer(terminal, /^▲ {2}Description/m, `Does it.${KEYS.enter}`);
    await answer(terminal, asks('Capabilities'), ` ${KEYS.down}${KEYS.down} `);
    await answer(terminal, /◼ web-access/, KEYS.enter);
    await answer(terminal, asks('System prompt'), `You do it.${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    const screen = terminal.screen();
    expect(screen).toContain('agents/fresh.md');
    expect(screen).toContain('klaus run --agent fresh');
    // No row is broken, except the command of the last one, so that it can be copied.
    const rows = screen.slice(0, screen.lastIndexOf('└')).trimEnd().split('\n');
    expect(rows.filter((row) => !/^[┌│◇├]/.test(row))).toEqual([]);
    expect(terminal.left()).toEqual(CLEAN);
    expect(await show(place, 'fresh')).toMatchObject({
      description: 'Does it.',
      capabilities: ['file-operations', 'web-access'],
      systemPrompt: 'You do it.',
    });
  });

  test('asks only for what neither options nor a template say, also while standard input is a pipe', async () => {
    using place = createTestHome();
    const words = ['new', 'fresh', '--capability', 'none', '--prompt', '-'];
    const line = `echo piped | '${process.execPath}' '${MAIN}' agents ${words.join(' ')}`;
    await using terminal = await openEmulator(['sh', '-c', line], { env: toEnv({ place }), cwd: place.workspace });
    await answer(terminal, asks('Description'), `Does it.${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(await show(place, 'fresh')).toMatchObject({ description: 'Does it.', systemPrompt: 'piped' });
  });

  for (const { cases, tags } of splitCases(
    [
      ['Escape', KEYS.escape, {}],
      ['Ctrl-C', KEYS.ctrlC, {}],
      ['Ctrl-D', KEYS.ctrlD, {}],
      ['Ctrl-C line by line', KEYS.ctrlC, { ACCESSIBLE: '1' }],
      ['Ctrl-D line by line', KEYS.ctrlD, { ACCESSIBLE: '1' }],
    ],
    2,
  ))
    test.each(cases)('%s in the middle creates nothing', { tags }, async (_, key, env) => {
      using place = createTestHome();
      await using terminal = await open(place, { env });
      await answer(terminal, /Name/, `fresh${KEYS.enter}`);
      await answer(terminal, /Description/, key);
      expect(await terminal.ended).toBe(130);
      expect(terminal.left()).toEqual(CLEAN);
      expect((await runKlaus(['agents', '--json'], { place })).stdout).toBe('');
    });

  test('a name that is taken is refused before anything is asked', async () => {
    using place = createTestHome();
    writeAgent(place, 'taken', 'b');
    await using terminal = await open(place, { words: ['taken'] });
    expect(await terminal.ended).toBe(2);
    expect(terminal.screen()).not.toContain('◆');
  });

  test('has no colours with NO_COLOR', async () => {
    using place = createTestHome();
    await using terminal = await open(place, { env: { NO_COLOR: '1' }, words: ['fresh'] });
    await answer(terminal, asks('Description'), `Does it.${KEYS.enter}`);
    await answer(terminal, asks('Capabilities'), KEYS.enter);
    await answer(terminal, asks('System prompt'), KEYS.enter);
    expect(await terminal.ended).toBe(0);
    expect(terminal.output).not.toMatch(/\u001b\[[\d;]*m/);
  });

  test('asks line by line with ACCESSIBLE', async () => {
    using place = createTestHome();
    writeAgent(place, 'taken', 'b');
    await using terminal = await open(place, { env: { ACCESSIBLE: '1' } });
    await answer(terminal, /^Name:$/m, `taken${KEYS.enter}`);
    await answer(terminal, /taken .*\nName:$/m, `fresh${KEYS.enter}`);
    await answer(terminal, /^Description.*:$/m, `Does it.${KEYS.enter}`);
    await answer(terminal, /^5\. deploy[^]*:$/m, `1 9${KEYS.enter}`);
    await answer(terminal, /^9 [^]*:$/m, `1, 3${KEYS.enter}`);
    await answer(terminal, /^System prompt.*:$/m, KEYS.enter);
    expect(await terminal.ended).toBe(0);
    expect(terminal.output).not.toContain('\u001b[?25l');
    expect(await show(place, 'fresh')).toMatchObject({ capabilities: ['file-operations', 'web-access'] });
  });
});
