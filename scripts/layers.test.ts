import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkLayers, drawLayers, putDiagram } from './layers.ts';

const fixtures = join(import.meta.dirname, 'fixtures/layers');
const root = join(import.meta.dirname, '..');

/** What each tree must be refused for. */
const REFUSED: Record<string, string> = {
  'adapter-imports-adapter': 'adapters/store/index.ts:1 imports adapters/models/index.ts',
  'adapter-reaches-through-node-modules': 'adapters/store/index.ts:1 imports adapters/models/index.ts',
  'adapter-test-imports-adapter': 'adapters/store/log.test.ts:1 imports adapters/models/index.ts',
  'adapters-depend-on-sdk': 'adapters/package.json depends on @klaus/sdk',
  'app-imports-adapter': 'apps/cli/run.ts:1 imports adapters/store/index.ts',
  'app-imports-app': 'apps/server/main.ts:1 imports apps/cli/main.ts',
  'app-imports-core': 'apps/server/main.ts:1 imports core/agent/index.ts',
  'cli-imports-inside-app': 'apps/cli/main.ts:1 imports apps/server/routes.ts',
  'computed-import': 'apps/cli/main.ts:2 imports a computed name',
  'contract-imports-sdk': 'apps/server/contract/routes.ts:1 imports sdk/index.ts',
  'core-depends-on-package': 'core/package.json depends on yaml',
  'core-imports-adapter': 'core/agent/loop.ts:1 imports adapters/store/index.ts',
  'core-imports-builtin': 'core/agent/clock.ts:1 imports node:process',
  'core-imports-package': 'core/policy/rule.ts:1 imports yaml',
  'core-references-types': 'core/policy/rule.ts:1 imports node:module',
  'core-test-imports-adapter': 'core/agent/loop.test.ts:2 imports adapters/store/index.ts',
  'example-imports-adapter': 'examples/run.ts:1 imports adapters/store/index.ts',
  'file-circle':
    'import circle: core/protocol/event.ts → core/protocol/message.ts → core/protocol/part.ts → core/protocol/event.ts',
  'folder-without-layer': 'shared/text.ts:1 is in no layer',
  'nothing-to-check': 'nothing was checked',
  'protocol-imports-agent': 'core/protocol/event.ts:1 imports core/agent/index.ts',
  'type-circle': 'import circle: core/protocol/gate.ts → core/protocol/rule.ts → core/protocol/gate.ts',
  'web-imports-sdk': 'apps/web/view.ts:1 imports sdk/index.ts',
};

test('every fixture tree is in the table', () => {
  expect(readdirSync(fixtures).toSorted()).toEqual(['good', ...Object.keys(REFUSED)].toSorted());
});

test.for(Object.entries(REFUSED))('%s is refused once, with its place', ([tree, reason]) => {
  const { violations } = checkLayers(join(fixtures, tree));
  expect(violations).toEqual([expect.stringContaining(reason)]);
});

test('a tree that keeps the direction passes, and its imports were read', () => {
  expect(checkLayers(join(fixtures, 'good'))).toEqual({ modules: 7, imports: 10, violations: [] });
});

test('a folder with more than 25 source files is refused; its tests and fixtures do not count', () => {
  const tree = mkdtempSync(join(tmpdir(), 'klaus-layers-'));
  onTestFinished(() => rmSync(tree, { recursive: true }));
  cpSync(join(fixtures, 'good'), tree, { recursive: true });
  const write = (name: string) => writeFileSync(join(tree, 'core/protocol', name), 'export {};\n');
  for (let count = 2; count <= 25; count += 1) write(`part-${count}.ts`);
  for (const name of ['part-2.test.ts', 'part.fixture.ts']) write(name);
  expect(checkLayers(tree).violations).toEqual([]);
  write('part-26.ts');
  expect(checkLayers(tree).violations).toEqual([expect.stringMatching(/^core\/protocol .*\b26\b/)]);
});

test('a package that was built is no source', () => {
  const tree = mkdtempSync(join(tmpdir(), 'klaus-layers-'));
  onTestFinished(() => rmSync(tree, { recursive: true }));
  cpSync(join(fixtures, 'good'), tree, { recursive: true });
  mkdirSync(join(tree, 'sdk/dist'));
  const exports = { '.': { types: './types/index.d.ts', default: './index.js' } };
  writeFileSync(join(tree, 'sdk/dist/package.json'), JSON.stringify({ name: '@klaus/sdk', exports }));
  writeFileSync(join(tree, 'sdk/dist/index.js'), "import '../../apps/cli/main.ts';\n");
  expect(checkLayers(tree)).toEqual({ modules: 7, imports: 10, violations: [] });
});

test('the diagram is put between the markers of a page, and nothing else of it changes', () => {
  const stale = 'before\n\n<!-- layers -->\nold\n<!-- /layers -->\n\nafter';
  const fresh = putDiagram(stale, root);
  expect(fresh).toBe(stale.replace('old', `\`\`\`text\n${drawLayers(root)}\n\`\`\``));
  expect(putDiagram(fresh ?? '', root)).toBe(fresh);
  expect(putDiagram('no markers', root)).toBeUndefined();
});

test('the diagram names the layers that exist, highest first', () => {
  const rows = drawLayers(join(fixtures, 'good')).split('\n');
  expect(rows.map((row) => row.split(' ')[0])).toEqual([
    'apps/cli',
    'apps/server',
    'sdk',
    'adapters/*',
    'core/agent',
    'core/protocol',
  ]);
});
