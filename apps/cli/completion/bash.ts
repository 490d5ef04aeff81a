import { type Entry, flagsOf, type OptionValue, PRINT_IDS, toPathPattern, toValues } from './entry.ts';

export function toBash(entries: readonly Entry[]): string {
  const cases = entries.map((entry) => {
    const words = [
      ...entry.commands.map((command) => command.name),
      ...entry.choices,
      ...entry.options.flatMap(flagsOf),
      '--help',
    ];
    const ids = entry.lists === undefined ? '' : ` ids=${entry.lists}`;
    return `    '${entry.path.join(' ')}') words='${words.join(' ')}'${ids} ;;`;
  });
  const values = [...toValues(entries)].map(([flag, value]) => `    ${flag}) ${toReply(value)}; return ;;`);
  return `_klaus_ids() {
  ${PRINT_IDS}
}
_klaus() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' ids='' word
  case "$previous" in
${values.join('\n')}
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${toPathPattern(entries)}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  case "$current" in
    -*) ;;
    *) if [ -n "$ids" ]; then words="$words $(_klaus_ids "$ids")"; fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _klaus klaus
`;
}

function toReply(value: OptionValue): string {
  switch (value) {
    case 'text':
      return 'COMPREPLY=()';
    case 'file':
    case 'folder':
      return `COMPREPLY=($(compgen -${value === 'file' ? 'f' : 'd'} -- "$current"))`;
    case 'sessions':
    case 'agents':
      return `COMPREPLY=($(compgen -W "$(_klaus_ids ${value})" -- "$current"))`;
    default:
      return `COMPREPLY=($(compgen -W '${value.join(' ')}' -- "$current"))`;
  }
}
