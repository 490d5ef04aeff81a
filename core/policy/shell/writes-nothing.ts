import type { SimpleCommand } from './evaluation.ts';
import { evaluateCommand, type EvaluateOptions } from './interpreter/evaluate-command.ts';

/** Programs that write no file with any arguments. */
const READERS: ReadonlySet<string> = new Set(
  (
    'sleep wait true false : echo printf test [ pwd cd exit return break continue jobs type which read ' +
    'ls cat head tail wc grep egrep fgrep nl tac rev cut tr fold column seq basename dirname realpath readlink ' +
    'cmp diff stat file du df ps id whoami uname uptime nproc hostname sha1sum sha256sum md5sum cksum'
  ).split(' '),
);
/** Operators that only read, or name a descriptor that is open. */
const READS = /^(?:<|<<|<<-|<<<|<&|>&)$/;

/** True for a command that provably changes no file: it consists of programs that only read. Never throws. */
export function writesNothing(line: string, options: EvaluateOptions): boolean {
  const { commands, problems } = evaluateCommand(line, options);
  return problems.length === 0 && commands.length > 0 && commands.every(onlyReads);
}

function onlyReads({ argv, name, code, redirects, assignments }: SimpleCommand): boolean {
  const isKnown = argv.length === 0 ? assignments.length > 0 : READERS.has(name);
  return (
    isKnown &&
    code.length === 0 &&
    redirects.every(
      ({ operator, target }) => target === '/dev/null' || (READS.test(operator) && isDescriptor(operator, target)),
    )
  );
}

/** `>&` with a word is a redirect to a file. */
function isDescriptor(operator: string, target: unknown): boolean {
  return operator !== '>&' || (typeof target === 'string' && /^\d+$|^-$/.test(target));
}
