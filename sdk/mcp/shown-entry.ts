import { isRecord } from '@klaus/core/protocol';
import { hideSecrets } from '../config/shown.ts';

/** An entry of an MCP server for display. It contains no secret. */
export interface ShownEntry {
  kind: 'program' | 'address';
  /** The command with its arguments, or the address without its query. */
  place: string;
  /** Variables of the program, or headers. Null: the value can be secret. */
  values: { name: string; value: string | null }[];
}

/** Names of variables, headers and options whose values are not shown. */
const SECRET_NAME = /key|token|secret|passw|auth|cookie|credential|session/i;
/** Only names of variables of the user. */
const REFERENCE = /^(?:Bearer )?\$\{[^}]*\}$/;

export function toShownEntry(entry: unknown): ShownEntry {
  const { command, args, url, env, headers } = isRecord(entry) ? entry : {};
  const values = Object.entries(isRecord(env ?? headers) ? ((env ?? headers) as Record<string, unknown>) : {});
  const words = [command, ...(Array.isArray(args) ? (args as unknown[]) : [])].map(String);
  return {
    kind: typeof command === 'string' ? 'program' : 'address',
    place:
      typeof command === 'string'
        ? hideSecrets(hideOptions(words).join(' '))
        : hideSecrets(typeof url === 'string' ? url : ''),
    values: values.map(([name, value]) => ({ name, value: toShownValue(name, String(value)) })),
  };
}

function toShownValue(name: string, value: string): string | null {
  if (REFERENCE.test(value)) return value;
  const shown = hideSecrets(value);
  return SECRET_NAME.test(name) || shown !== value ? null : value;
}

/** Without the values of options such as `--api-key VALUE` and `--token=VALUE`. */
function hideOptions(words: readonly string[]): string[] {
  return words.map((word, at) => {
    const before = words[at - 1] ?? '';
    if (/^--?[\w-]+$/.test(before) && SECRET_NAME.test(before) && !word.startsWith('-') && !REFERENCE.test(word))
      return '…';
    const [, name, value] = /^(--?[\w-]+=|[A-Z_]+=)(.+)$/.exec(word) ?? [];
    return name !== undefined && SECRET_NAME.test(name) && !REFERENCE.test(value!) ? `${name}…` : word;
  });
}
