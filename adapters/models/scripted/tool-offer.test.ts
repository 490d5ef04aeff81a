import { expect, test } from 'vitest';
import { toShellCall, toToolOffer } from './tool-offer.ts';

const schema = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };

// How agents in use describe the tool that runs a command.
const shells: [agent: string, tool: unknown, name: string, input: unknown][] = [
  [
    'Messages',
    { name: 'Bash', input_schema: schema({ command: text, timeout: { type: 'number' } }) },
    'Bash',
    { command: 'ls' },
  ],
  [
    'Messages, typed',
    { type: 'custom', name: 'Bash', input_schema: schema({ command: text }) },
    'Bash',
    { command: 'ls' },
  ],
  [
    'chat-completions',
    { type: 'function', function: { name: 'bash', parameters: schema({ command: text }) } },
    'bash',
    { command: 'ls' },
  ],
  [
    'Responses',
    { type: 'function', name: 'exec_command', parameters: schema({ cmd: text, tty: { type: 'boolean' } }) },
    'exec_command',
    { cmd: 'ls' },
  ],
  [
    'an argument list',
    { type: 'function', name: 'shell', parameters: schema({ command: { type: 'array' } }) },
    'shell',
    { command: ['bash', '-lc', 'ls'] },
  ],
  [
    'several commands',
    { name: 'run_commands', input_schema: schema({ commands: { type: 'array' } }) },
    'run_commands',
    { commands: ['ls'] },
  ],
  ['a built-in shell', { type: 'local_shell' }, 'local_shell', { command: ['bash', '-lc', 'ls'] }],
  ['plain text', { type: 'custom', name: 'shell' }, 'shell', 'ls'],
  [
    'what else is required',
    {
      name: 'execute_command',
      input_schema: schema(
        {
          command: text,
          description: text,
          background: { type: 'boolean' },
          seconds: { type: 'integer', minimum: 5 },
          risk: { enum: ['low'] },
        },
        ['command', 'description', 'background', 'seconds', 'risk'],
      ),
    },
    'execute_command',
    { command: 'ls', description: 'Run a command', background: false, seconds: 5, risk: 'low' },
  ],
];
test.each(shells)('%s', (_agent, tool, name, input) => {
  const others = [{ name: 'read_file', input_schema: schema({ path: text }) }, tool];
  expect(toShellCall(others.map(toToolOffer), 'ls')).toEqual({ name, input });
});

test('a request without a shell is refused with what it brings', () => {
  expect(() => toShellCall([toToolOffer({ name: 'read_file' })], 'ls')).toThrow('read_file');
  expect(() => toShellCall([], 'ls')).toThrow('none');
  const strange = toToolOffer({ name: 'bash', input_schema: schema({ line: text }) });
  expect(() => toShellCall([strange], 'ls')).toThrow(/\bbash\b.*\bcommand, cmd, commands\b/);
});
