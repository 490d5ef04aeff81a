import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtinTools, type BuiltinTool } from '@klaus/adapters/tools';
import type { Event } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { play, type ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';

/** Fields that name a path. */
const PATHS = new Set(['path', 'paths', 'cwd', 'project']);

/** A null byte, and half a character. */
const BROKEN = ['a\0b', 'a\ud800b'];
const LARGE = 'x'.repeat(10_000_000);
/** Paths that some reader takes for one outside the workspace. */
const TRICKS: Readonly<Record<string, string>> = {
  'dots and slashes': '../outside/mark',
  'wide dots': '\uff0e\uff0e\uff0foutside\uff0fmark',
  'percent signs': '..%2foutside%2fmark',
  'overlong percent signs': '..%c0%afoutside%c0%afmark',
  backslashes: '..\\outside\\mark',
  'a division slash': '..\u2215outside\u2215mark',
  'a right-to-left override': '\u202etxt.a',
};

/**
 * Declares the tests: every tool answers a hostile argument with an error, after a decision, and has no effect.
 *
 * @param options.every Takes each so many'th tool; 1 is all of them, also with texts of 10 MB, which are slow.
 */
export function declareBadInput({ every }: { every: number }): void {
  const rows = builtinTools
    .map((tool) => [tool.name, tool, findTextFields(tool)] as const)
    .filter(([, , fields]) => fields.length > 0);
  describe.each(rows.filter((_, index) => index % every === 0))('%s', (_name, tool, fields) => {
    const refuses = async (hostile: readonly string[]): Promise<void> => {
      const calls = fields.flatMap((field) => hostile.flatMap((text) => toCalls(tool, field, text)));
      const { events, before, after } = await playAll(calls);
      const finished = ofType(events, 'tool.finished');
      expect(finished).toHaveLength(calls.length);
      for (const { outcome, output, index } of finished)
        expect(['error', 'denied'], `${JSON.stringify(calls[index]).slice(0, 200)}: ${output.slice(0, 200)}`).toContain(
          outcome,
        );
      expect(countDecided(events)).toBe(calls.length);
      expect(after).toBe(before);
    };
    test('refuses invalid text without an effect', () => refuses(BROKEN));
    if (every === 1) test('refuses 10 MB without an effect', () => refuses([LARGE]));
    const paths = fields.filter(({ field }) => PATHS.has(field));
    if (paths.length === 0) return;
    test('stays in the workspace', async () => {
      const calls = paths.flatMap((field) => Object.values(TRICKS).flatMap((text) => toCalls(tool, field, text)));
      const { events, around } = await playAll(calls);
      expect(countDecided(events)).toBe(calls.length);
      expect(around.after).toBe(around.before);
    });
  });
}

/** A field of a tool's input that is a text or a list of texts. */
interface TextField {
  field: string;
  isList: boolean;
}

function findTextFields({ input, example: { freeText = [] } }: BuiltinTool): TextField[] {
  const { properties = {} } = z.toJSONSchema(input) as JsonObject;
  return Object.entries(properties).flatMap(([field, { type, items }]) => {
    const isList = type === 'array' && items?.type === 'string';
    return !freeText.includes(field) && (type === 'string' || isList) ? [{ field, isList }] : [];
  });
}

/** The example with one hostile text. A field that it lacks is also tried without its optional fields, which may exclude it. */
function toCalls({ name, input, example }: BuiltinTool, { field, isList }: TextField, text: string): ToolCall[] {
  const { required = [] } = z.toJSONSchema(input) as JsonObject;
  const all = example.input as NamedInput;
  const least = Object.fromEntries(Object.entries(all).filter(([key]) => required.includes(key)));
  return (field in all ? [all] : [all, least]).map((each) => ({
    name,
    input: { ...each, [field]: isList ? [text] : text },
  }));
}

type NamedInput = Extract<ToolCall['input'], { readonly [key: string]: unknown }>;

/** The parts of a JSON Schema that a tool's input uses. */
interface JsonObject {
  properties?: Readonly<Record<string, { type?: string; items?: { type?: string } }>>;
  required?: readonly string[];
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
  const hashInside = () => digest(workspace, []);
  const hashAround = () => digest(root, ['workspace', 'klaus']);
  const [before, aroundBefore] = [hashInside(), hashAround()];
  const session = await engine.klaus.open();
  await play(engine.klaus, session, { user: 'none' });
  return {
    events: await Array.fromAsync(session.events()),
    before,
    after: hashInside(),
    around: { before: aroundBefore, after: hashAround() },
  };
}

/** Calls of the model that the gate decided. The checkpoint at the end of a run is not one. */
function countDecided(events: readonly Event[]): number {
  const finished = new Set(ofType(events, 'tool.finished').map(({ call }) => call));
  return new Set(ofType(events, 'gate.decided').flatMap(({ call }) => (finished.has(call) ? [call] : []))).size;
}

/** A hash of names and contents, without the files that Git writes when it reads, and without checkpoints. */
function digest(root: string, leaveOut: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    if (leaveOut.includes(path.split('/')[0]!) || /^\.git\/(?:index|objects|logs|refs\/klaus)/.test(path)) continue;
    const full = join(root, path);
    hash.update(`${path} ${lstatSync(full).isFile() ? readFileSync(full, 'latin1') : ''}\n`);
  }
  return hash.digest('hex');
}
