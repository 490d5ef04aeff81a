import type { SimpleCommand } from '../evaluation.ts';
import { isOpaque } from '../expansion/word.ts';
import { askUnknown, type ShellFinding } from './command-rule.ts';
import { toSet } from '../../word-list.ts';

/** Programs and builtins for which an option or a subcommand cannot do harm. */
const HARMLESS = toSet(
  'echo printf test [ : true false read set eval expr cd ls stat basename dirname which type wc mkdir touch sleep',
);

/**
 * Asks about an opaque argument that can be an option or a subcommand. An argument with a known beginning, such as
 * `name=…` or `v…`, is neither.
 */
export function judgeComputed({ name, argv }: SimpleCommand): ShellFinding | undefined {
  if (HARMLESS.has(name)) return undefined;
  const isHidden = argv.some((word, at) => at > 0 && isOpaque(/^(?:-[^=]*|.)/su.exec(word)?.[0] ?? ''));
  if (!isHidden) return undefined;
  return askUnknown(`an argument of ${name} is computed in a way that cannot be evaluated`);
}
