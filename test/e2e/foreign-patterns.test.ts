// Covers core/policy, adapters/mcp, apps/cli, apps/debug: patterns of others end, where those of JavaScript never do.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** Milliseconds after which a process that hangs is killed; it cannot end by itself. */
const KILLED_AFTER = 60_000;

/** Runs a program and returns what it prints; undefined if it had to be killed. */
function runProgram(code: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-patterns-'));
  try {
    const file = join(folder, 'program.mts');
    writeFileSync(file, code.replaceAll('ROOT', ROOT).replaceAll('FOLDER', folder));
    const { signal, stdout, stderr } = spawnSync(process.execPath, [file], {
      timeout: KILLED_AFTER,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
    });
    return signal === 'SIGKILL' ? undefined : `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const PATTERNS = ['^(a+)+$', '^(a|a)*$', '^([a-z]+)*[0-9]$', '^(.*a){25}$'];
const TEXT = `${'a'.repeat(45)}!`;

const toServerTool = (schema: object): string => `
  import { toServerTools } from 'ROOT/adapters/mcp/server-tools.ts';
  const options = { name: 's', server: { kind: 'http', url: 'http://x/', headers: {} }, workspace: '/', isReading: () => false, check() {} };
  const tools = [{ name: 't', inputSchema: ${JSON.stringify(schema)} }];
  const [tool] = toServerTools(tools, { hasResources: false, hasPrompts: false }, options);
  await tool.prepare({ text: '${TEXT}' }).then(() => console.log('valid'), ({ code }) => console.log(code));`;

const PLACES: readonly (readonly [name: string, toCode: (pattern: string) => string, printed: string])[] = [
  [
    'the input schema of an MCP tool',
    (pattern) => toServerTool({ type: 'object', properties: { text: { type: 'string', pattern } } }),
    'tool.input',
  ],
  [
    'the names of properties of an MCP tool',
    (pattern) =>
      toServerTool({ type: 'object', properties: { text: { type: 'string' } }, propertyNames: { pattern } }).replace(
        `{ text: '${TEXT}' }`,
        `{ '${TEXT}': 1 }`,
      ),
    'tool.input',
  ],
  [
    'the pattern of properties of an MCP tool, draft-07',
    (pattern) =>
      toServerTool({
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        patternProperties: { [pattern]: {} },
        additionalProperties: false,
      }).replace(`{ text: '${TEXT}' }`, `{ '${TEXT}': 1 }`),
    'tool.input',
  ],
  [
    'the output schema of an MCP tool',
    (pattern) => `
      import { schemaValidator } from 'ROOT/adapters/mcp/schema-validator.ts';
      const schema = ${JSON.stringify({ type: 'object', properties: { text: { pattern } } })};
      console.log(schemaValidator.getValidator(schema)({ text: '${TEXT}' }).valid ? 'valid' : 'invalid');`,
    'invalid',
  ],
  [
    '--output-schema',
    (pattern) => `
      import { writeFileSync } from 'node:fs';
      import { readOutputSchema } from 'ROOT/apps/cli/run/output-schema.ts';
      writeFileSync('FOLDER/schema.json', ${JSON.stringify(JSON.stringify({ properties: { a: { pattern } } }))});
      console.log(Object.keys(readOutputSchema('FOLDER/schema.json').read('{"a":"${TEXT}"}'))[0]);`,
    'mistakes',
  ],
  [
    'a JSON Schema of `implement`',
    (pattern) => `
      import { openSchema } from 'ROOT/apps/debug/implement/open-schema.ts';
      const { check } = await openSchema(${JSON.stringify({ type: 'string', pattern })});
      console.log(Object.keys(await check('${TEXT}'))[0]);`,
    'reasons',
  ],
];

test.each(PLACES)('%s', (_, toCode, printed) => {
  // The other patterns are of the same kind: one process for all of them would hide which of them hangs.
  expect(runProgram(toCode(PATTERNS[0]!))).toBe(`${printed}\n`);
});

test.each(PATTERNS)('%s in an MCP tool', (pattern) => {
  expect(runProgram(PLACES[0]![1](pattern))).toBe('tool.input\n');
});
