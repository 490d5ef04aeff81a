// Covers docs, apps/cli: commands, settings and links of the guides exist.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SETTING_KEYS, SETTINGS, type Setting } from '../../core/protocol/index.ts';
import { toOpenApi } from '../../apps/server/http/openapi.ts';
import { whyNoCommand } from './command-check.ts';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/guides');
const GUIDES = readdirSync(FOLDER).filter((name) => name.startsWith('from-'));

const scripts = Object.keys(
  (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object }).scripts,
);
const settings = new Set(SETTING_KEYS.flatMap((key) => (SETTINGS[key] as Setting).env ?? []));
const tools = new Set(
  [...readFileSync(join(ROOT, 'docs/reference/tools.md'), 'utf8').matchAll(/^### (\w+)$/gm)].map(([, name]) => name!),
);
const routes = new Set(
  Object.entries(toOpenApi('0').paths as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '*')}`),
  ),
);

/** What a guide names, apart from the left column, which is about the other product. */
function readNames(guide: string): string[] {
  const text = readFileSync(join(FOLDER, guide), 'utf8');
  const here = text.split('\n').map((line) => (line.startsWith('| ') ? line.split(' | ').slice(1).join(' | ') : line));
  return [...here.join('\n').matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
}

describe.each(GUIDES)('%s', (guide) => {
  const text = readFileSync(join(FOLDER, guide), 'utf8');
  const names = readNames(guide);

  test('names commands and scripts that there are', async () => {
    const lines = names.flatMap((name) => /^(?:docker compose exec agent |\.\/)?(klaus .*)/.exec(name)?.[1] ?? []);
    expect(lines.length).toBeGreaterThan(10);
    const reasons = await Promise.all(lines.map(async (line) => [line, await whyNoCommand(line)]));
    expect(reasons.filter(([, why]) => why !== undefined)).toEqual([]);
    for (const name of names) {
      const [, script] = /^npm run ([\w:]+)$/.exec(name) ?? [];
      if (script !== undefined) expect(scripts).toContain(script);
    }
  });

  test('names settings that there are', () => {
    const variables = names.flatMap(
      (name) =>
        /^((?:AGENT|KLAUS|DOCKER|GIT|NETLIFY|OPENAI|ANTHROPIC|OPENROUTER)_[A-Z_]+)(?:=.*)?$/.exec(name)?.[1] ?? [],
    );
    expect(variables.length).toBeGreaterThan(2);
    for (const name of variables) if (name !== 'KLAUS_HOME') expect(settings).toContain(name);
  });

  test('names files and pages that there are', () => {
    for (const [, link] of text.matchAll(/\]\(([^)#]+)/g))
      expect([link, existsSync(join(FOLDER, link!))]).toEqual([link, true]);
    for (const name of names)
      if (/^(?:core|adapters|apps|sdk|docs)\//.test(name))
        expect([name, existsSync(join(ROOT, name))]).toEqual([name, true]);
    for (const [, anchor] of text.matchAll(/\]\(([^)]+#[^)]+)\)/g)) {
      const [page, id] = anchor!.split('#');
      const headings = [...readFileSync(join(FOLDER, page!), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
        title!
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-'),
      );
      expect(headings).toContain(id);
    }
  });

  test('names routes that there are', () => {
    const named = names.filter((name) => /^(?:GET|POST|PUT|PATCH|DELETE) \//.test(name));
    expect(named.filter((name) => !routes.has(name.replaceAll(/:\w+/g, '*')))).toEqual([]);
  });

  test('says of an address that it is the same only where it is', () => {
    for (const line of text.split('\n')) {
      const [, theirs = '', here = ''] = line.split(' | ').length > 1 ? /^\| (.*?) \| (.*) \|$/.exec(line)! : [];
      if (!here.startsWith('the same')) continue;
      for (const [, method, path] of theirs.matchAll(/`([A-Z]+) (\/(?:api|health|metrics)[^`]*)`/g))
        expect(routes).toContain(`${method} ${path!.replaceAll(/:\w+|\{\w+\}/g, '*')}`);
      for (const [, name] of here === 'the same names' ? theirs.matchAll(/`(\w+)`/g) : [])
        expect(tools).toContain(name);
    }
  });
});

test('every variable of the first product is a setting, under its own name', () => {
  const variables = [
    ...readFileSync(join(FOLDER, 'from-klaus-code.md'), 'utf8').matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm),
  ];
  expect(variables.length).toBeGreaterThan(5);
  for (const [, row] of variables) for (const [, name] of row!.matchAll(/`(\w+)`/g)) expect(settings).toContain(name);
});

test.each([
  ['klaus plugins', 'there is no command plugins'],
  ['klaus db tables', expect.stringContaining('tables')],
  ['klaus steer', expect.stringContaining('id')],
  ['klaus export ID --format xml', expect.stringContaining('xml')],
  ['klaus --top-p 1 "…"', expect.stringContaining('--top-p')],
  ['klaus export ID --format json', undefined],
])('the check says of %s what the program would', async (line, why) => {
  expect(await whyNoCommand(line)).toEqual(why);
});
