import { existsSync, readdirSync, readFileSync, lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { createTestEngine } from '../fixtures/engine.ts';
import { play, toCalls, toScript } from '../fixtures/play.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { createScene, IGNORED, OPEN_FILES, SECRET_FILES, SETTINGS } from './scene.ts';

/** Ordinary commands in a project with secrets. */
export function readHarmless(): string[] {
  const text = readFileSync(join(import.meta.dirname, 'harmless.txt'), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** What a command said and left behind. */
export interface Effect {
  output: string;
  exitCode: unknown;
  files: string[];
}

/** Through the engine: gate, masks, redaction. */
export async function runGuarded(command: string): Promise<Effect> {
  await using engine = await createTestEngine({
    script: toScript([{ name: 'run_command', input: { command } }]),
    files: { ...OPEN_FILES, '.gitignore': IGNORED },
    settings: { ...SETTINGS, 'sandbox.driver': 'bubblewrap', approve: 'auto' },
  });
  putSecrets(engine.place.workspace);
  const session = await engine.klaus.open();
  await play(engine.klaus, session, { user: 'none' });
  const [{ finished } = { finished: undefined }] = toCalls(await Array.fromAsync(session.events()));
  const detail = finished?.detail as { exitCode?: unknown } | undefined;
  const output = (finished?.output ?? 'nothing ran').replace(/\n?\[exit code \d+\]$/, '');
  return toEffect({ output, exitCode: detail?.exitCode }, engine.place.workspace);
}

/** The bare sandbox. */
export async function runBare(command: string): Promise<Effect> {
  using place = createTestHome({ ...OPEN_FILES, '.gitignore': IGNORED });
  putSecrets(place.workspace);
  const sandbox = await createSandbox({ workspace: place.workspace, home: place.home, choice: 'bubblewrap' });
  return toEffect(await sandbox.exec({ command }), place.workspace);
}

function putSecrets(workspace: string): void {
  const { write } = createScene(workspace);
  for (const [path, content] of Object.entries(SECRET_FILES)) write(path, content);
}

/** Without what differs from one run to the next: the place, object ids and times. */
function toEffect({ output, exitCode }: { output: string; exitCode?: unknown }, workspace: string): Effect {
  const clean = output
    .replaceAll(workspace, '/place')
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, 'id')
    .replaceAll(/\d{2}:\d{2}(?::\d{2})?/g, 'time')
    // What the machine cannot enforce is named by one side alone.
    .replace(/(?:^|\n)\[exit code \d+\]\n\[not enforced here: [^\]]*\]\s*$/, '')
    .trimEnd();
  return { output: clean, exitCode: exitCode ?? null, files: listFiles(workspace) };
}

/** Every file with its content, outside of git's own data. */
function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => !/^\.git(?:\/|$)|^(?:r|z|a)$/.test(path))
    .map((path) => {
      const stat = lstatSync(join(root, path));
      if (stat.isSymbolicLink()) return `${path} -> ${readlinkSync(join(root, path))}`;
      return stat.isFile() && existsSync(join(root, path))
        ? `${path} ${stat.mode} ${readFileSync(join(root, path), 'latin1')}`
        : path;
    })
    .sort();
}
