import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtinTools } from '@klaus/adapters/tools';
import type { Event } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { play, type ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';

/** For every tool an input in which each text may be replaced by a hostile one. A tool that is missing here fails. */
type Input = Extract<ToolCall['input'], { readonly [key: string]: unknown }>;
const INPUTS: Readonly<Record<string, { input: Input; texts: readonly string[] }>> = {
  read_file: { input: { path: 'a.txt' }, texts: ['path'] },
  write_file: { input: { path: 'b.txt', content: 'b' }, texts: ['path', 'content'] },
  edit_file: { input: { path: 'a.txt', edits: [{ old: 'nothing', new: 'x' }] }, texts: ['path'] },
  apply_patch: { input: { patch: '*** Begin Patch' }, texts: ['patch'] },
  delete_file: { input: { path: 'nothing.txt' }, texts: ['path'] },
  list_files: { input: {}, texts: ['path', 'glob'] },
  search_files: { input: { pattern: 'zzz' }, texts: ['pattern', 'path', 'glob'] },
  run_command: { input: { command: 'true' }, texts: ['command', 'cwd'] },
  run_tests: { input: {}, texts: ['path', 'pattern'] },
  git_status: { input: {}, texts: [] },
  git_diff: { input: {}, texts: ['path', 'ref'] },
  git_log: { input: {}, texts: ['path'] },
  git_checkpoint: { input: {}, texts: ['message'] },
  npm_run: { input: { script: 'nothing' }, texts: ['script', 'args'] },
  tsc_check: { input: {}, texts: ['project'] },
  eslint_check: { input: {}, texts: ['paths'] },
  prettier_format: { input: {}, texts: ['paths'] },
  run_node_script: { input: {}, texts: ['path', 'code'] },
  run_python_script: { input: {}, texts: ['path', 'code'] },
  git_commit: { input: { message: 'x' }, texts: ['message', 'paths'] },
  git_branch: { input: { action: 'create', name: 'x' }, texts: ['name', 'from', 'action'] },
  memory_get: { input: { key: 'x' }, texts: ['key'] },
  memory_set: { input: { key: 'x', value: 'x' }, texts: ['key', 'value', 'category'] },
  memory_list: { input: {}, texts: ['category'] },
  memory_search: { input: { query: 'x' }, texts: ['query'] },
  recall: { input: { query: 'x' }, texts: ['query'] },
  process_output: { input: { process: 'p1' }, texts: ['process', 'waitFor'] },
  process_control: { input: { process: 'p1', stop: true }, texts: ['process'] },
};
const LISTS = new Set(['args', 'paths']);
/** Fields that name a place. */
const PATHS = new Set(['path', 'paths', 'cwd', 'project']);

/** A null byte, and half a character. */
const BROKEN = ['a\0b', 'a\ud800b'];
const LARGE = 'x'.repeat(10_000_000);
/** Names that some reader takes for the way out. */
const TRICKS: Readonly<Record<string, string>> = {
  'dots and slashes': '../outside/mark',
  'wide dots': '\uff0e\uff0e\uff0foutside\uff0fmark',
  'percent signs': '..%2foutside%2fmark',
  'overlong percent signs': '..%c0%afoutside%c0%afmark',
  backslashes: '..\\outside\\mark',
  'a slash of division': '..\u2215outside\u2215mark',
  'a name written backwards': '\u202etxt.a',
};

/**
 * Declares the tests: every tool answers a hostile argument with an error, after a decision, and touches nothing.
 *
 * @param large Whether texts of 10 MB are among them, which take their time.
 */
export function declareBadInput(large: boolean): void {
  test('every tool gets bad input', () => {
    expect(Object.keys(INPUTS).sort()).toEqual(builtinTools.map(({ name }) => name).sort());
  });
  describe.each(Object.entries(INPUTS).filter(([, { texts }]) => texts.length > 0))('%s', (name, { input, texts }) => {
    const withText = (field: string, text: string): ToolCall => {
      const rest = field === 'code' ? {} : input;
      return { name, input: { ...rest, [field]: LISTS.has(field) ? [text] : text } };
    };
    const refuses = async (hostile: readonly string[]): Promise<void> => {
      const calls = texts.flatMap((field) => hostile.map((text) => withText(field, text)));
      const { events, before, after } = await playAll(calls);
      const finished = ofType(events, 'tool.finished');
      expect(finished).toHaveLength(calls.length);
      for (const { outcome, output, index } of finished)
        expect(
          ['error', 'denied'],
          `${texts[Math.floor(index / hostile.length)]} ${index}: ${output.slice(0, 200)}`,
        ).toContain(outcome);
      expect(countDecided(events)).toBe(calls.length);
      expect(after).toBe(before);
    };
    test('refuses what is no text, says so, and touches nothing', () => refuses(BROKEN));
    if (large) test('refuses 10 MB, says so, and touches nothing', () => refuses([LARGE]));
    const places = texts.filter((field) => PATHS.has(field));
    if (places.length === 0) return;
    test('leaves the workspace by no trick with a path', async () => {
      const calls = places.flatMap((field) => Object.values(TRICKS).map((text) => withText(field, text)));
      const { events, around } = await playAll(calls);
      expect(countDecided(events)).toBe(calls.length);
      expect(around.after).toBe(around.before);
    });
  });
}

async function playAll(calls: ToolCall[]) {
  await using engine = await createTestEngine({
    script: {
      steps: [
        { when: { tools: false }, reply: { text: 'A title' } },
        { when: { turn: 0 }, reply: { calls } },
      ],
      fallback: { text: 'Done.' },
    },
    files: { 'a.txt': 'one\n', 'package.json': '{"name":"x","scripts":{}}\n' },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
  });
  const { workspace } = engine.place;
  const root = dirname(workspace);
  const look = () => digest(workspace, []);
  const lookAround = () => digest(root, ['workspace', 'klaus']);
  const [before, aroundBefore] = [look(), lookAround()];
  const session = await engine.klaus.open();
  await play(engine.klaus, session, { user: 'none' });
  return {
    events: [...session.events()],
    before,
    after: look(),
    around: { before: aroundBefore, after: lookAround() },
  };
}

/** Calls of the model that the gate decided; the checkpoint at the end of a run is the engine's. */
function countDecided(events: readonly Event[]): number {
  const finished = new Set(ofType(events, 'tool.finished').map(({ call }) => call));
  return new Set(ofType(events, 'gate.decided').flatMap(({ call }) => (finished.has(call) ? [call] : []))).size;
}

/** Names and contents, without what git writes when it only looks and the user's own checkpoints. */
function digest(root: string, leaveOut: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (leaveOut.includes(path.split('/')[0]!) || /^\.git\/(?:index|objects|logs|refs\/klaus)/.test(path)) continue;
    const full = join(root, path);
    hash.update(`${path} ${lstatSync(full).isFile() ? readFileSync(full, 'latin1') : ''}\n`);
  }
  return hash.digest('hex');
}
