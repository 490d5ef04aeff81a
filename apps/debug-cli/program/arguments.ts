import { parseArgs } from 'node:util';
import { messageOf } from '@klaus/sdk/message-of';
import { CliFailure } from './cli-failure.ts';

export interface Arguments {
  isHelp: boolean;
  isVersion: boolean;
  isProtocol: boolean;
  /** Print the report as JSON. */
  json: boolean;
  /** Descriptor for the events of the session. */
  eventsFd?: number;
  /** Folder of prompt templates. */
  templates?: string;
  /** Milliseconds for one request to the MCP server, in addition to the time that the call itself may take. */
  requestTimeoutMs: number;
}

const REQUEST_TIMEOUT_MS = 15_000;
const MAX_TIMEOUT_MS = 3_600_000;

export const HELP = `Usage: klendathu-cli [options] < input.json

Investigates a failing program through its MCP server, with the engine of Klaus.
One JSON object on standard input, the report on standard output, and one JSON
object a line on standard error.

Options:
  --json                     print the report as one JSON object
  --events-fd <n>            write the events of the session as JSON lines to
                             this open file descriptor
  --templates <folder>       folder with investigate.mustache, implement.mustache
  --request-timeout-ms <n>   time for one request to the MCP server, in addition
                             to the time-out of the call (default ${REQUEST_TIMEOUT_MS})
  --protocol                 print the version of the protocol
  --version                  print the version
  --help                     print this text

Settings and keys are those of Klaus: \`ANTHROPIC_API_KEY\`, \`AGENT_MODEL\`, …
Exit codes: 0, or the one of the failure (see the guide klendathu-wire).
`;

/** @throws CliFailure `input` for an unknown option or an invalid value. */
export function readArguments(words: readonly string[]): Arguments {
  const { values } = parse(words);
  const fd = values['events-fd'];
  const timeout = values['request-timeout-ms'];
  return {
    isHelp: values.help,
    isVersion: values.version,
    isProtocol: values.protocol,
    json: values.json,
    ...(fd === undefined ? {} : { eventsFd: toNumber('--events-fd', fd, { least: 3, most: 1_000_000 }) }),
    templates: values.templates,
    requestTimeoutMs:
      timeout === undefined
        ? REQUEST_TIMEOUT_MS
        : toNumber('--request-timeout-ms', timeout, { least: 1, most: MAX_TIMEOUT_MS }),
  };
}

function parse(words: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: false,
      options: {
        json: flag,
        help: { ...flag, short: 'h' },
        version: { ...flag, short: 'V' },
        protocol: flag,
        'events-fd': { type: 'string' },
        templates: { type: 'string' },
        'request-timeout-ms': { type: 'string' },
      },
    });
  } catch (error) {
    throw new CliFailure('input', messageOf(error), {
      hint: '`klendathu-cli --help` lists the options.',
    });
  }
}

function toNumber(name: string, text: string, { least, most }: { least: number; most: number }): number {
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= least && value <= most) return value;
  throw new CliFailure('input', `${name} must be an integer from ${least} to ${most}, not ${JSON.stringify(text)}.`);
}
