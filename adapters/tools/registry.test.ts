import { expect, test } from 'vitest';
import { z } from 'zod';
import { builtinTools } from './index.ts';

test('the tools as the model sees them fit into 8,200 bytes', () => {
  const specs = builtinTools.map((tool) => {
    const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' }) as Record<string, unknown>;
    return { name: tool.name, description: tool.description, inputSchema };
  });
  const bytes = Buffer.byteLength(JSON.stringify(specs));
  process.stdout.write(`built-in tools: ${bytes} bytes\n`);
  expect(bytes).toBeLessThan(8_200);
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
    'process_output read repeat',
    'process_control execute tell',
  ]);
});

test('every schema is an object', () => {
  for (const tool of builtinTools) expect(z.toJSONSchema(tool.input)).toMatchObject({ type: 'object' });
});
