import { existsSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { findShown, showsPiece } from '../fixtures/canary.ts';
import { createTestEngine } from '../fixtures/engine.ts';
import { loggedTexts, play, readState, sentTexts, toCalls, toScript, type ToolCall } from '../fixtures/play.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { CANARIES, type DenyCase, type Scene } from './case.ts';
import { createScene, IGNORED, OPEN_FILES, SECRET_FILES, SETTINGS } from './scene.ts';

/**
 * How a case is tried.
 * - `gate`: mode auto, nobody to ask; gate, masks and redaction together
 * - `hidden`: the same lines in a script that the user put there, and a user who says yes to whatever is asked:
 *   masks and redaction by themselves
 */
export interface Trial {
  door: 'gate' | 'hidden';
  /** Git has the secret files, so they are not masked; or ignores them. */
  tracked: boolean;
}

export interface Tried {
  /** Names of the canaries that came out, with where. */
  leaks: string[];
  /** The outcome of each call. */
  outcomes: string[];
  verdicts: (string | undefined)[];
}

/** Tries one case on an engine, a repository and a session of its own. */
export async function tryCase(denied: DenyCase, trial: Trial): Promise<Tried> {
  const calls: ToolCall[] = [];
  const scripts: string[] = [];
  for (const call of denied.calls) {
    if (typeof call === 'function') continue;
    if (typeof call !== 'string') calls.push(call);
    else if (trial.door === 'gate') calls.push({ name: 'run_command', input: { command: call } });
    else {
      calls.push({ name: 'run_command', input: { command: `sh ./x${scripts.length}.sh` } });
      scripts.push(call);
    }
  }
  await using engine = await createTestEngine({
    script: toScript(calls),
    files: trial.tracked ? { ...OPEN_FILES, ...SECRET_FILES } : { ...OPEN_FILES, '.gitignore': IGNORED },
    settings: { ...SETTINGS, 'sandbox.driver': 'bubblewrap', approve: 'auto' },
  });
  const scene = createScene(engine.place.workspace);
  if (!trial.tracked) for (const [path, content] of Object.entries(SECRET_FILES)) scene.write(path, content);
  scripts.forEach((line, at) => scene.write(`x${at}.sh`, `${line}\n`));
  denied.before?.(scene);
  const session = await engine.klaus.open();
  const user = trial.door === 'gate' ? 'none' : 'yes';
  for (const call of denied.calls) {
    if (typeof call === 'function') {
      call(scene);
      continue;
    }
    const stop = typeof call === 'string' && call.includes('ready') ? actWhenReady(denied, scene) : undefined;
    await play(engine.klaus, session, { user });
    stop?.();
  }
  const finished = toCalls(await Array.fromAsync(session.events()));
  const leaks = [
    ...findLeaks(denied, trial, sentTexts(engine.server)).map((name) => `${name} reached the model`),
    ...findLeaks(denied, trial, await loggedTexts(session)).map((name) => `${name} is in the log`),
    ...Object.entries(CANARIES).flatMap(([name, value]) =>
      readState(engine.place.home).flatMap(({ path, text }) => (text.includes(value) ? [`${name} is in ${path}`] : [])),
    ),
  ];
  return {
    leaks,
    outcomes: finished.map(({ finished: { outcome, output } }) => `${outcome}: ${output.slice(0, 300)}`),
    verdicts: finished.map(({ verdict }) => verdict),
  };
}

/** Names of the canaries that stand in the texts. Behind a mask not even a piece of one may. */
function findLeaks(denied: DenyCase, { tracked }: Trial, texts: readonly string[]): string[] {
  const strict = !tracked && denied.unmasked !== true;
  const shown = new Set(findShown(texts, Object.values(CANARIES)));
  return Object.entries(CANARIES).flatMap(([name, value]) =>
    shown.has(value) || (strict && texts.some((text) => showsPiece(text, value))) ? [name] : [],
  );
}

/** Does the user's part once the command has made `ready`, then lets it go on. */
function actWhenReady({ during }: DenyCase, scene: Scene): () => void {
  if (!during) return () => undefined;
  let done = false;
  const look = (): void => {
    if (done || !existsSync(join(scene.workspace, 'ready'))) return;
    done = true;
    during(scene);
    writeFileSync(join(scene.workspace, 'go'), '');
  };
  const watcher = watch(scene.workspace, look);
  look();
  return () => watcher.close();
}

/**
 * Runs the lines of a case in the bare sandbox, without masks and redaction.
 *
 * @returns True when a canary came out: the case tests something.
 */
export async function isProven(denied: DenyCase): Promise<boolean> {
  using place = createTestHome({ ...OPEN_FILES, '.gitignore': IGNORED });
  const scene = createScene(place.workspace);
  for (const [path, content] of Object.entries(SECRET_FILES)) scene.write(path, content);
  denied.before?.(scene);
  const sandbox = await createSandbox({ workspace: place.workspace, home: place.home, choice: 'bubblewrap' });
  let shown = '';
  for (const call of denied.calls) {
    if (typeof call === 'function') call(scene);
    if (typeof call !== 'string') continue;
    const stop = actWhenReady(denied, scene);
    const result = await sandbox.exec({ command: call });
    stop();
    shown += result.output;
  }
  const values = Object.values(CANARIES);
  return findShown([shown], values).length > 0 || values.some((value) => showsPiece(shown, value));
}
