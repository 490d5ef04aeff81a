import { expect, test } from 'vitest';
import { z } from 'zod';
import { createToolRegistry } from '@klaus/core/agent';
import { builtinTools } from './index.ts';

test('the tools as the model sees them fit into 5,500 bytes', () => {
  const tools = createToolRegistry(builtinTools);
  const specs = tools.specs(tools.offered).map(({ effects: _, ...spec }) => spec);
  const bytes = Buffer.byteLength(JSON.stringify(specs));
  process.stdout.write(`tools in a request: ${bytes} bytes\n`);
  expect(bytes).toBeLessThan(5_500);
});

test('what every task may need is in the request; the rest is found', () => {
  const { offered, deferred } = createToolRegistry(builtinTools);
  expect(offered).toEqual([
    ...['read_file', 'write_file', 'edit_file', 'apply_patch', 'delete_file', 'list_files', 'search_files'],
    ...['run_command', 'run_tests', 'git_status', 'git_diff', 'git_commit', 'recall', 'tool_search', 'use_tool'],
  ]);
  expect([...offered, ...deferred].filter((name) => !name.endsWith('_tool') && name !== 'tool_search').sort()).toEqual(
    builtinTools.map(({ name }) => name).sort(),
  );
});

test('names, order and effects stay: they are in the prefix of every request and in every grant', () => {
  expect(builtinTools.map((tool) => `${tool.name} ${tool.effects.join('+')} ${tool.resume}`)).toEqual([
    'read_file read repeat',
    'write_file write probe',
    'edit_file write probe',
    'apply_patch write probe',
    'delete_file write probe',
    'list_files read repeat',
    'search_files read repeat',
    'run_command execute tell',
    'run_tests execute tell',
    'git_status read repeat',
    'git_diff read repeat',
    'git_log read repeat',
    'git_checkpoint write repeat',
    'npm_run execute tell',
    'tsc_check execute repeat',
    'eslint_check execute repeat',
    'prettier_format execute+write tell',
    'run_node_script execute tell',
    'run_python_script execute tell',
    'git_commit execute+write tell',
    'git_branch execute+write tell',
    'memory_get read repeat',
    'memory_set write repeat',
    'memory_list read repeat',
    'memory_search read repeat',
    'recall read repeat',
    'process_output read repeat',
    'process_control execute tell',
  ]);
});

test('every schema is an object', () => {
  for (const tool of builtinTools) expect(z.toJSONSchema(tool.input)).toMatchObject({ type: 'object' });
});
