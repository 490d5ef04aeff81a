import type { Word } from '../expansion/word.ts';

const SPECIAL = 0o6000;
/** Options of chmod; any other word with a hyphen is a mode. */
const OPTION = /^-[Rcfv]+$|^--/;
const CLAUSE = /^([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]|[0-7]+))+)$/;

/** The modes in the arguments of chmod: `4755`, `u+s`, `-x`. */
export function findModes(args: readonly Word[]): Word[] {
  const end = args.indexOf('--');
  const before = (end === -1 ? args : args.slice(0, end)).filter((arg) => !OPTION.test(arg));
  const removals = before.filter((arg) => arg.startsWith('-'));
  const rest = [...before.filter((arg) => !arg.startsWith('-')), ...(end === -1 ? [] : args.slice(end + 1))];
  return removals.length > 0 ? [...removals, ...rest.slice(0, 1)] : rest.slice(0, 1);
}

/** True if a mode sets the bit with which a program runs as the user or the group that owns it. */
export function setsUserId(mode: Word): boolean {
  if (/^[0-7]+$/.test(mode)) return isSpecial(mode);
  const clauses = mode.split(',').map((clause) => CLAUSE.exec(clause));
  if (clauses.includes(null)) return false;
  return clauses.some((clause) => {
    const [, who = '', actions = ''] = clause!;
    // Others have no such bit.
    const canSet = who === '' || /[uga]/.test(who);
    return [...actions.matchAll(/[+=]([^-+=]*)/g)].some(([, bits = '']) =>
      /^\d/.test(bits) ? isSpecial(bits) : canSet && bits.includes('s'),
    );
  });
}

function isSpecial(octal: string): boolean {
  return (Number.parseInt(octal, 8) & SPECIAL) !== 0;
}
