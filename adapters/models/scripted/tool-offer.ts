import { isRecord } from '@klaus/core/protocol';
import { BadRequest, type Fields, stringOf } from './wire.ts';

export interface ToolOffer {
  name: string;
  /** How it is called on Responses: `custom` takes plain text, `local_shell` an argument list. */
  kind: 'function' | 'custom' | 'local_shell';
  /** JSON Schema of the input; empty where there is none. */
  schema: Fields;
}

export function toToolOffer(tool: unknown): ToolOffer {
  if (!isRecord(tool)) return { name: '', kind: 'function', schema: {} };
  const inner = isRecord(tool['function']) ? tool['function'] : tool;
  const schema = inner['input_schema'] ?? inner['parameters'];
  const { type } = tool;
  return {
    // Built-in tools of Responses have a type and no name.
    name: stringOf(inner['name'] ?? type, ''),
    kind: type === 'custom' && tool['input_schema'] === undefined ? 'custom' : toKind(type),
    schema: isRecord(schema) ? schema : {},
  };
}

function toKind(type: unknown): ToolOffer['kind'] {
  return type === 'local_shell' ? 'local_shell' : 'function';
}

/** Names of shell tools of common agents, in lower case. */
const SHELLS: ReadonlySet<string> = new Set([
  'bash',
  'exec_command',
  'execute_command',
  'local_shell',
  'run_command',
  'run_commands',
  'run_shell_command',
  'shell',
  'shell_command',
]);

/** Fields for the command, in order of preference. */
const COMMAND_KEYS = ['command', 'cmd', 'commands'] as const;

/**
 * The call of the tool that runs a shell command, its input filled by that tool's schema.
 *
 * @throws BadRequest when none does.
 */
export function toShellCall(tools: readonly ToolOffer[], command: string): { name: string; input: unknown } {
  const tool = tools.find(({ name }) => SHELLS.has(name.toLowerCase()));
  if (!tool) {
    const names = tools.length === 0 ? 'none' : tools.map(({ name }) => name).join(' ');
    throw new BadRequest(`The script runs a shell command, and no tool of this request does. Tools: ${names}.`);
  }
  if (tool.kind === 'local_shell') return { name: tool.name, input: { command: ['bash', '-lc', command] } };
  if (tool.kind === 'custom') return { name: tool.name, input: command };
  const properties = isRecord(tool.schema['properties']) ? tool.schema['properties'] : {};
  const key = COMMAND_KEYS.find((name) => name in properties);
  if (key === undefined) {
    throw new BadRequest(`The tool ${tool.name} takes none of ${COMMAND_KEYS.join(', ')}.`);
  }
  const { required } = tool.schema;
  const others = (Array.isArray(required) ? required.map(String) : []).filter((name) => name !== key);
  return {
    name: tool.name,
    input: {
      [key]: toCommand(key, properties[key], command),
      ...Object.fromEntries(others.map((name) => [name, toAnyValue(properties[name])])),
    },
  };
}

function toCommand(key: string, schema: unknown, command: string): unknown {
  if (!isRecord(schema) || schema['type'] !== 'array') return command;
  return key === 'commands' ? [command] : ['bash', '-lc', command];
}

/** A value that a required property accepts. */
function toAnyValue(schema: unknown): unknown {
  if (!isRecord(schema)) return '';
  const choices = schema['enum'];
  if (Array.isArray(choices)) return choices[0] as unknown;
  switch (schema['type']) {
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 0;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'Run a command';
  }
}
