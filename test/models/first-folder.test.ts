// Covers apps/cli/setup, apps/cli/commands, sdk/mcp, adapters/workspace: the questions about the folder of a start in a terminal.
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Emulator, KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const SCRIPT = { steps: [], fallback: { text: 'Done.' } };
const MCP = { mcpServers: { docs: { command: 'docs-server', args: ['--all'] } } };

type Server = Awaited<ReturnType<typeof startServer>>;

const open = (place: TestHome, server: Server, cwd: string): Promise<Emulator> =>
  openEmulator([process.execPath, MAIN], { env: toEnv({ place, server }), cwd, columns: 100 });

describe.runIf(hasScript)('in a terminal (needs script)', () => {
  test('a start in the home folder asks for the folder, and works in the chosen one', async () => {
    using place = createTestHome();
    await using server = await startServer(SCRIPT);
    const home = place.env['HOME']!;
    const project = join(place.workspace, 'shop');
    mkdirSync(project, { recursive: true });
    await using terminal = await open(place, server, home);
    await terminal.shows('Where should Klaus work?');
    terminal.type(KEYS.enter);
    await terminal.shows('Path of the folder');
    terminal.type(`${home}${KEYS.enter}`);
    await terminal.shows(/home folder[\s\S]*home folder/);
    terminal.type(`${KEYS.ctrlU}${project}${KEYS.enter}`);
    await terminal.shows('/help');
    terminal.type(`hi${KEYS.enter}`);
    await terminal.shows('Done.');
    const { stdout } = await runKlaus(['sessions', '--json'], { place, server });
    expect(JSON.parse(stdout)).toMatchObject({ workspace: project });
    // The next start offers it.
    await using later = await open(place, server, home);
    await later.shows('shop');
    later.type(KEYS.escape);
    expect(await later.ended).toBe(130);
  });

  test('a start in a very large folder without Git asks once for the folder', async () => {
    using place = createTestHome();
    await using server = await startServer(SCRIPT);
    const large = join(dirname(place.workspace), 'large');
    mkdirSync(large);
    for (let at = 0; at <= 50_000; at++) linkSync(join(place.workspace, 'README.md'), join(large, `${at}`));
    await using terminal = await open(place, server, large);
    await terminal.shows('very many files');
    await terminal.shows('Here');
    terminal.type(KEYS.up);
    await terminal.shows('● Here');
    terminal.type(KEYS.enter);
    await terminal.shows('/help');
    expect(terminal.output).toContain('Mode auto');
  });

  test.each([
    ['Enter uses none', '', 'not trusted'],
    ['Space selects one', ' ', 'trusted'],
  ])('the MCP servers of a project are asked about once: %s', async (_, keys, state) => {
    using place = createTestHome();
    await using server = await startServer(SCRIPT);
    writeFileSync(join(place.workspace, '.mcp.json'), JSON.stringify(MCP));
    {
      await using terminal = await open(place, server, place.workspace);
      await terminal.shows('docs-server --all');
      terminal.type(keys);
      terminal.type(KEYS.enter);
      await terminal.shows('/help');
    }
    const { stdout } = await runKlaus(['mcp', 'list'], { place, server });
    expect(stdout).toMatch(new RegExp(`docs +project +${state} `));
    await using later = await open(place, server, place.workspace);
    await later.shows('/help');
    expect(later.output).not.toContain('docs-server');
    // Another entry with the same name is another server.
    writeFileSync(
      join(place.workspace, '.mcp.json'),
      JSON.stringify({ mcpServers: { docs: { command: 'other-server' } } }),
    );
    await using changed = await open(place, server, place.workspace);
    await changed.shows('other-server');
  });
});
