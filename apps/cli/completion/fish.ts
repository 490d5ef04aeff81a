import type { Option } from 'commander';
import { type Entry, toOptionValue } from './entry.ts';

export function toFish(entries: readonly Entry[]): string {
  const paths = entries.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(' ')));
  const lines = [
    'function __klaus_ids',
    `  klaus $argv[1] --json 2>/dev/null | string replace -rf '^\\{"(?:id|approval|name)":"([^"]*)".*?"title":(?:"([^"]*)")?.*' '$1\\t$2'`,
    'end',
    // True if the words of the line name this command. The name of a command can be a word of another one.
    'function __klaus_at',
    '  set -l at',
    '  for word in (commandline -opc)[2..-1]',
    '    set -l next (string trim -- "$at $word")',
    `    contains -- "$next" ${paths.join(' ')}; and set at $next`,
    '  end',
    '  test "$at" = "$argv[1]"',
    'end',
    'complete -c klaus -f',
  ];
  for (const entry of entries) {
    const start = `complete -c klaus -n ${quote(`__klaus_at ${quote(entry.path.join(' '))}`)}`;
    for (const { name, summary } of entry.commands) lines.push(`${start} -a ${quote(name)} -d ${quote(summary)}`);
    if (entry.lists !== undefined) lines.push(`${start} -a ${quote(`(__klaus_ids ${entry.lists})`)}`);
    for (const choice of entry.choices) lines.push(`${start} -a ${quote(choice)}`);
    for (const option of entry.options) lines.push(`${start}${toFlags(option)} -d ${quote(option.description)}`);
    lines.push(`${start} -s h -l help -d 'print help'`);
  }
  return `${lines.join('\n')}\n`;
}

function toFlags(option: Option): string {
  const short = option.short === undefined ? '' : ` -s ${option.short.slice(1)}`;
  const long = option.long === undefined ? '' : ` -l ${option.long.slice(2)}`;
  return short + long + toValueFlags(option);
}

function toValueFlags(option: Option): string {
  const value = toOptionValue(option);
  switch (value) {
    case undefined:
      return '';
    case 'file':
      return ' -r -F';
    case 'folder':
      return ` -x -a ${quote('(__fish_complete_directories)')}`;
    case 'text':
      return ' -x';
    case 'sessions':
    case 'agents':
      return ` -x -a ${quote(`(__klaus_ids ${value})`)}`;
    default:
      return ` -x -a ${quote(value.join(' '))}`;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
