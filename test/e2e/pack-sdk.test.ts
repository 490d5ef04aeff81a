// Covers scripts/sdk, sdk: the published SDK package.
// @module-tag long
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createModelServer, parseScript } from '@klaus/adapters/models';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { npm, plainPath } from '../fixtures/npm.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';

const NODE_22 = '22.23.3';
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'klaus-pack-sdk-'));
const built = join(folder, 'built');
const project = join(folder, 'project');
let tarball = '';
/** Why Node 22 is not there. */
let missing: string | undefined;

const node22 = join(folder, `node22/node_modules/node-linux-${process.arch}/bin/node`);

interface Manifest {
  private?: boolean;
  exports: Record<string, { types: string; default: string }>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, { optional: boolean }>;
}

beforeAll(() => {
  const build = spawnSync(process.execPath, [join(root, 'scripts/sdk/build.ts'), built], { encoding: 'utf8' });
  expect(build.status, build.stdout + build.stderr).toBe(0);
  tarball = join(folder, npm(['pack', '--silent', '--pack-destination', folder], built).trim());
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  // zod comes as the peer that it is.
  npm(['install', '--prefer-offline', '--loglevel=error', tarball], project);
  mkdirSync(join(folder, 'node22'));
  try {
    npm(
      ['install', '--prefix', '.', '--loglevel=error', `node-linux-${process.arch}@${NODE_22}`],
      join(folder, 'node22'),
    );
  } catch (error) {
    missing = `Node ${NODE_22} cannot be installed here: ${String(error)}`;
  }
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the tarball has entries with types, no workspace packages and nothing that publint objects to', async () => {
  const bytes = readFileSync(tarball);
  const pack = { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) };
  const { messages, pkg } = await publint({ pack, strict: true });
  expect(messages.map((it) => formatMessage(it, pkg))).toEqual([]);
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8')) as Manifest;
  const source = JSON.parse(readFileSync(join(root, 'sdk/package.json'), 'utf8')) as Manifest;
  expect(manifest.private).toBeUndefined();
  expect(Object.keys(manifest.exports)).toEqual(Object.keys(source.exports));
  expect(manifest.exports['.']).toEqual({ types: './types/sdk/index.d.ts', default: './index.js' });
  const { zod, ...others } = manifest.peerDependencies;
  expect(zod).toBeDefined();
  expect(Object.keys(others)).toEqual(Object.keys(manifest.peerDependenciesMeta));
  expect(Object.values(manifest.peerDependenciesMeta).every(({ optional }) => optional)).toBe(true);
  expect(Object.keys(manifest.dependencies)).toContain('@vscode/ripgrep');
  expect(Object.keys(manifest.dependencies).filter((it) => it.startsWith('@klaus/') || it === 'zod')).toEqual([]);
});

test('its README names the packages to install, and its program is the one that runs below', () => {
  const text = readFileSync(join(built, 'README.md'), 'utf8');
  expect(text).toContain('\nnpm install @klaus/sdk zod\n');
  const program = readFileSync(join(root, 'examples/print-events.ts'), 'utf8').replace(/^(?:\/\/.*\n)+/, '');
  expect(text).toContain(`\`\`\`ts\n${program}\`\`\``);
});

test('its modules export the names that sdk/exports.txt lists as values', () => {
  const sections = readFileSync(join(root, 'sdk/exports.txt'), 'utf8').split('\n\n');
  for (const section of sections) {
    const [, entry = ''] = /^# (.+)$/m.exec(section) ?? [];
    const values = [...section.matchAll(/^(\w+): .*\b(?:class|const|function)\b/gm)].map(([, name]) => name);
    const script = `console.log(JSON.stringify(Object.keys(await import('${entry}'))))`;
    const words = ['--input-type=module', '-e', script];
    const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect((JSON.parse(stdout) as string[]).toSorted(), entry).toEqual(values);
  }
});

interface Program {
  /** Of `examples/`. */
  name: string;
  script: string;
  /** What it prints. */
  stdout: RegExp;
}

const PROGRAMS: readonly Program[] = [
  {
    name: 'print-events',
    script: `
steps:
  - { when: { tools: false }, reply: { text: A title } }
  - reply: { calls: [{ name: read_file, input: { path: README.md } }] }
  - when: { result: "Three" }
    reply: { text: Three lines. }
`,
    stdout:
      /^1 session\.opened\n(?:\d+ .+\n)*\d+ tool\.finished ok\n(?:\d+ .+\n)*\d+ run\.finished\n(?:\d+ .+\n)*done\n$/,
  },
  {
    name: 'approve-a-call',
    script: `
steps:
  - { when: { tools: false }, reply: { text: A title } }
  - reply: { calls: [{ name: notify_team, input: { message: green } }] }
  - when: { result: "Sent: green" }
    reply: { text: They know. }
`,
    stdout: /^approved call\nask policy\n(?:allow .+\n)?ok Sent: green\n$/,
  },
  {
    name: 'fork-and-undo',
    script: `
steps:
  - { when: { tools: false }, reply: { text: A title } }
  - { when: { user: Say what }, reply: { text: I replaced it. } }
  - { when: { turn: 0 }, reply: { calls: [{ name: write_file, input: { path: notes.txt, content: "new\\n" } }] } }
  - { when: { turn: 1 }, reply: { text: Done. } }
`,
    stdout: /^changed: new\nreplay: equal [1-9]\d*\nfork: true 0 done\nundo: true old\nredo: true new\n$/,
  },
];

test('the programs compile under TypeScript strict, with the declarations of the libraries checked too', () => {
  for (const { name } of PROGRAMS) cpSync(join(root, 'examples', `${name}.ts`), join(project, `${name}.ts`));
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2024', skipLibCheck: false };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...compilerOptions, outDir: 'out', rootDir: '.' }, include: ['*.ts'] }),
  );
  const words = [join(root, 'node_modules/typescript/bin/tsc'), '-p', project];
  const { status, stdout } = spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });

  const wrong = 'import { createKlaus } from "@klaus/sdk";\nawait createKlaus({ home: 5 });\n';
  writeFileSync(join(project, 'wrong.ts'), wrong);
  const refused = spawnSync(process.execPath, [...words, '--noEmit'], { cwd: project, encoding: 'utf8' });
  rmSync(join(project, 'wrong.ts'));
  expect(refused.stdout).toMatch(/^wrong\.ts\(2,21\): error TS2322/m);
});

/** Runs a compiled program in a folder of its own, against a model that plays its script. */
async function run(node: string, { name, script }: Program) {
  using place = createTestHome({ 'README.md': 'One\nTwo\nThree\n', 'notes.txt': 'old\n' });
  const server = await createModelServer({ script: await parseScript(script, `${name}.yaml`) });
  try {
    const env = {
      ...place.env,
      PATH: plainPath,
      ANTHROPIC_API_KEY: 'sk-ant-test',
      ANTHROPIC_BASE_URL: server.url,
      ...(hasBubblewrap ? {} : { KLAUS_SANDBOX: 'host' }),
    };
    const child = spawn(node, [join(project, 'out', `${name}.js`)], {
      cwd: place.workspace,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => (output[stream] += text));
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, ...output, requests: server.requests.length };
  } finally {
    await server.close();
  }
}

describe('compiled, without any loader', () => {
  test.each(PROGRAMS)('$name runs under Node 24', async (program) => {
    const { code, stdout, stderr, requests } = await run(process.execPath, program);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(program.stdout);
    expect(requests).toBeGreaterThan(1);
  });

  test.for(PROGRAMS)('$name runs under Node 22', async (program, context) => {
    context.skip(missing !== undefined && process.env['CI'] !== 'true', missing);
    expect(missing).toBeUndefined();
    const { code, stdout, stderr } = await run(node22, program);
    // Its SQLite is called experimental there; nothing else may come.
    const other = stderr.replace(/^\(node:\d+\) ExperimentalWarning: SQLite .+\n.+trace-warnings.+\n/, '');
    expect({ code, stderr: other }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(program.stdout);
  });
});
