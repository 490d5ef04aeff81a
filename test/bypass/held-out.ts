import { singleQuote } from '../../core/protocol/quote-shell-word.ts';
import type { Disguise } from './disguises.ts';

/** Written after the shell rules and never used to tune them: their rate is reported separately. */
export const HELD_OUT: readonly Disguise[] = [
  {
    name: 'group of an expression',
    apply: (command) => `[[ ${singleQuote(`go: ${command}`)} =~ ^go:\\ (.*)$ ]] && eval "\${BASH_REMATCH[1]}"`,
  },
  {
    name: 'words of a dictionary',
    apply: (command) => {
      const words = command.split(' ');
      const entries = words.map((word, at) => `[k${at}]=${singleQuote(word)}`).join(' ');
      return `declare -A d=(${entries}); IFS=; ${words.map((_, at) => `\${d[k${at}]}`).join(' ')}`;
    },
  },
];
