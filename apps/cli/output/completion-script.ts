import type { Command, Option } from 'commander';
import { IdArgument } from '../program/cli-command.ts';

interface Entry {
  /** The words before the completed one, such as `db stats`; empty for the program itself. */
  path: string[];
  commands: { name: string; summary: string }[];
  options: Option[];
  /** The values of an argument, if they are a short list. */
  choices: string[];
  /** The command that lists the values of the first argument. */
  lists: IdArgument['lists'] | undefined;
}

/** A completion script for a shell, from the declared commands. */
export function toCompletionScript(program: Command, shell: 'bash' | 'zsh' | 'fish'): string {
  const entries = collect(program, []);
  // `klaus --json "…"` is `klaus run --json "…"`.
  const root = entries[0]!;
  root.options = [...root.options, ...entries.find((entry) => entry.path.join(' ') === 'run')!.options];
  if (shell === 'fish') return toFish(entries);
  const bash = toBash(entries);
  return shell === 'bash' ? bash : `#compdef klaus\nautoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

function collect(command: Command, path: string[]): Entry[] {
  const commands = command.commands.map((child) => ({
    name: child.name(),
    summary: child.summary() || child.description(),
  }));
  const options = [...command.options];
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  const [first] = command.registeredArguments;
  const lists = first instanceof IdArgument ? first.lists : undefined;
  const own: Entry = { path, commands, options, choices, lists };
  return [own, ...command.commands.flatMap((child) => collect(child, [...path, child.name()]))];
}

function flagsOf(option: Option): string[] {
  return [option.short, option.long].filter((flag) => flag !== undefined);
}

/** For bash, and for zsh, in which `path` and `words` are special variables and an offset is no bare name. */
function toBash(entries: readonly Entry[]): string {
  const cases = entries.map((entry) => {
    const words = [
      ...entry.commands.map((command) => command.name),
      ...entry.choices,
      ...entry.options.flatMap(flagsOf),
      '--help',
    ];
    const ids = entry.lists === undefined ? '' : ` ids=${entry.lists}`;
    return `    '${entry.path.join(' ')}') offered='${words.join(' ')}'${ids} ;;`;
  });
  const values = new Map<string, readonly string[]>();
  for (const option of entries.flatMap((entry) => entry.options)) {
    if (option.argChoices && option.long) values.set(option.long, option.argChoices);
  }
  const valueCases = [...values].map(
    ([flag, choices]) => `    ${flag}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); return ;;`,
  );
  const paths = entries.filter((entry) => entry.path.length > 0).map((entry) => `'${entry.path.join(' ')}'`);
  return `_klaus_ids() {
  klaus "$1" --json 2>/dev/null | sed -n 's/^{"\\(id\\|approval\\|name\\)":"\\([^"]*\\)".*/\\2/p'
}
_klaus() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" chosen='' offered='' ids='' word
  case "$previous" in
${valueCases.join('\n')}
    --session) COMPREPLY=($(compgen -W "$(_klaus_ids sessions)" -- "$current")); return ;;
    --agent) COMPREPLY=($(compgen -W "$(_klaus_ids agents)" -- "$current")); return ;;
    --cwd|--root|--add-dir) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --script|--record|--token-file) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    case "\${chosen:+$chosen }$word" in
      ${paths.join('|')}) chosen="\${chosen:+$chosen }$word" ;;
    esac
  done
  case "$chosen" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) ;;
    *) if [ -n "$ids" ]; then offered="$offered $(_klaus_ids "$ids")"; fi ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
}
complete -o default -F _klaus klaus
`;
}

function toFish(entries: readonly Entry[]): string {
  const lines = [
    'function __klaus_ids',
    `  klaus $argv[1] --json 2>/dev/null | string replace -rf '^\\{"(?:id|approval|name)":"([^"]*)".*?"title":(?:"([^"]*)")?.*' '$1\\t$2'`,
    'end',
    'complete -c klaus -f',
  ];
  for (const entry of entries) {
    const [first, second] = entry.path;
    let condition = '__fish_use_subcommand';
    if (first !== undefined) condition = `__fish_seen_subcommand_from ${first}`;
    if (second !== undefined) condition += `; and __fish_seen_subcommand_from ${second}`;
    const start = `complete -c klaus -n ${quote(condition)}`;
    for (const { name, summary } of entry.commands) lines.push(`${start} -a ${quote(name)} -d ${quote(summary)}`);
    if (entry.lists !== undefined) lines.push(`${start} -a ${quote(`(__klaus_ids ${entry.lists})`)}`);
    for (const choice of entry.choices) lines.push(`${start} -a ${quote(choice)}`);
    for (const option of entry.options) {
      const short = option.short === undefined ? '' : ` -s ${option.short.slice(1)}`;
      const long = option.long === undefined ? '' : ` -l ${option.long.slice(2)}`;
      const value = option.required ? ' -r' : '';
      const listed = option.long === '--session' ? 'sessions' : option.long === '--agent' ? 'agents' : undefined;
      const ids = listed === undefined ? '' : ` -x -a ${quote(`(__klaus_ids ${listed})`)}`;
      const choices = option.argChoices === undefined ? '' : ` -x -a ${quote(option.argChoices.join(' '))}`;
      lines.push(`${start}${short}${long}${value}${ids}${choices} -d ${quote(option.description)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
