import { singleQuote } from '@klaus/sdk/quote-shell-word';
import { type Entry, flagsOf, type OptionValue, PRINT_IDS, toPathPattern, toValues } from './entry.ts';

/** For `source <(klaus completion zsh)`, and as the file `_klaus` in a folder of `fpath`. */
export function toZsh(entries: readonly Entry[]): string {
  const cases = entries.map((entry) => {
    const commands = entry.commands.map(({ name, summary }) => toItem(name, summary));
    const options = entry.options.flatMap((option) => flagsOf(option).map((flag) => toItem(flag, option.description)));
    options.push(toItem('--help', 'print help'));
    const choices = entry.choices.length === 0 ? '' : ` choices=(${entry.choices.join(' ')})`;
    const ids = entry.lists === undefined ? '' : ` ids=${entry.lists}`;
    return `    ${singleQuote(entry.path.join(' '))}) commands=(${commands.join(' ')}) options=(${options.join(' ')})${choices}${ids} ;;`;
  });
  const values = [...toValues(entries)].map(([flag, value]) => `    ${flag}) ${toOffer(value)}; return ;;`);
  // Not `path`: it is the search path of zsh.
  return `#compdef klaus
_klaus_ids() {
  local -a ids
  ids=(\${(f)"$(${PRINT_IDS})"})
  compadd -a ids
}
_klaus() {
  local at='' ids='' word
  local -a commands options choices
  case "\${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${toPathPattern(entries)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe -o option options
    return
  fi
  if (( \${#commands} )); then _describe command commands; fi
  if (( \${#choices} )); then compadd -a choices; fi
  if [[ -n "$ids" ]]; then _klaus_ids "$ids"; fi
  if [[ -z "$ids" ]] && (( ! \${#commands} && ! \${#choices} )); then _files; fi
}
if [[ "\${funcstack[1]}" == _klaus ]]; then
  _klaus "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _klaus klaus
fi
`;
}

function toOffer(value: OptionValue): string {
  switch (value) {
    case 'text':
      return '_message value';
    case 'file':
      return '_files';
    case 'folder':
      return '_files -/';
    case 'sessions':
    case 'agents':
      return `_klaus_ids ${value}`;
    default:
      return `compadd -- ${value.join(' ')}`;
  }
}

/** An item of `_describe`, in which the first colon ends the name. */
function toItem(name: string, description: string): string {
  return singleQuote(`${name.replaceAll(':', '\\:')}:${description.replaceAll('\n', ' ')}`);
}
