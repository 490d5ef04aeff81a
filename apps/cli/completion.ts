import type { Command, Option } from 'commander';

interface Entry {
  /** Words before the one to complete, such as `db stats`; empty for the program itself. */
  path: string[];
  commands: { name: string; summary: string }[];
  options: Option[];
  /** What an argument may be, where that is a short list. */
  choices: string[];
}

/** A completion script for a shell, made from the program itself. */
export function toCompletion(program: Command, shell: 'bash' | 'zsh' | 'fish'): string {
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
  const own = { path, commands, options, choices };
  return [own, ...command.commands.flatMap((child) => collect(child, [...path, child.name()]))];
}

function flagsOf(option: Option): string[] {
  return [option.short, option.long].filter((flag) => flag !== undefined);
}

function toBash(entries: readonly Entry[]): string {
  const cases = entries.map((entry) => {
    const words = [
      ...entry.commands.map((command) => command.name),
      ...entry.choices,
      ...entry.options.flatMap(flagsOf),
      '--help',
    ];
    return `    '${entry.path.join(' ')}') words='${words.join(' ')}' ;;`;
  });
  const values = new Map<string, readonly string[]>();
  for (const option of entries.flatMap((entry) => entry.options)) {
    if (option.argChoices && option.long) values.set(option.long, option.argChoices);
  }
  const valueCases = [...values].map(
    ([flag, choices]) => `    ${flag}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); return ;;`,
  );
  const paths = entries.filter((entry) => entry.path.length > 0).map((entry) => `'${entry.path.join(' ')}'`);
  return `_klaus() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' word
  case "$previous" in
${valueCases.join('\n')}
    --cwd) COMPREPLY=($(compgen -d -- "$current")); return ;;
    --script|--record|--token-file) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _klaus klaus
`;
}

function toFish(entries: readonly Entry[]): string {
  const lines = ['complete -c klaus -f'];
  for (const entry of entries) {
    const [first, second] = entry.path;
    let condition = '__fish_use_subcommand';
    if (first !== undefined) condition = `__fish_seen_subcommand_from ${first}`;
    if (second !== undefined) condition += `; and __fish_seen_subcommand_from ${second}`;
    const start = `complete -c klaus -n ${quote(condition)}`;
    for (const { name, summary } of entry.commands) lines.push(`${start} -a ${quote(name)} -d ${quote(summary)}`);
    for (const choice of entry.choices) lines.push(`${start} -a ${quote(choice)}`);
    for (const option of entry.options) {
      const short = option.short === undefined ? '' : ` -s ${option.short.slice(1)}`;
      const long = option.long === undefined ? '' : ` -l ${option.long.slice(2)}`;
      const value = option.required ? ' -r' : '';
      const choices = option.argChoices === undefined ? '' : ` -a ${quote(option.argChoices.join(' '))}`;
      lines.push(`${start}${short}${long}${value}${choices} -d ${quote(option.description)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
