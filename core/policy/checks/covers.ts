import type { Check, Evidence, Receipt } from '../../protocol/index.ts';

/** True for evidence whose exit code proves something. */
export function isSound(receipt: Receipt): boolean {
  return receipt.doubt === undefined;
}

/** True if a check of `later` repeats every check of `earlier`, on the same files or more. */
export function covers(later: Receipt, earlier: Receipt): boolean {
  const isSame = JSON.stringify(later.checks) === JSON.stringify(earlier.checks);
  if (later.command === earlier.command && isSame) return true;
  // In older logs only the command is known.
  if (!later.checks || !earlier.checks) return later.command === earlier.command;
  return earlier.checks.every((asked) => later.checks!.some((check) => coversCheck(check, asked)));
}

function coversCheck(check: Check, asked: Check): boolean {
  if (check.kind !== asked.kind) return false;
  const isWider = check.cwd === asked.cwd || check.cwd === '' || asked.cwd.startsWith(`${check.cwd}/`);
  if (!isWider) return false;
  // The project's command for all of its tests covers every narrower command.
  const isProject = check.script !== undefined && isComplete(check);
  if (check.runner !== asked.runner && !isProject) return false;
  if (!check.filters.every((filter) => asked.filters.includes(filter))) return false;
  if (isComplete(check)) return true;
  if (asked.paths.length === 0) return false;
  return asked.paths.every((path) => check.paths.some((wide) => path === wide || path.startsWith(`${wide}/`)));
}

/** Folders and patterns that contain all tests, or all sources, of a project. */
const ALL_FILES =
  /^(?:(?:\.|\*\*|\*|src|lib|app|apps|packages|test|tests|__tests__|specs?)(?:\/|$))*(?:\.\/\.\.\.|(?:\*\*\/)?[*@({\w|,).!-]*\*[*.\w{},()|@!?[\]-]*)?$/;

/** True for `test`, `lint`, `test:ci`: the project's own word for all of it; false for `test:unit`. */
export function isMainScript(name: string): boolean {
  return /^[a-z]+(?:[:_.-](?:all|ci|run|once|cov|coverage|check))?$/i.test(name);
}

/** True if a check runs on everything that its runner finds, not on a selection. */
export function isComplete(check: Check): boolean {
  if (check.filters.length > 0) return false;
  // A folder inside the tests was selected.
  if (/(?:^|\/)(?:tests?|__tests__|specs?)\/./.test(check.cwd)) return false;
  if (check.script !== undefined && (check.runner === 'file' || check.runner.startsWith('script '))) {
    return isMainScript(check.script);
  }
  if (check.kind === 'types' && check.paths.every((path) => /(?:^|\/)tsconfig[^/]*\.json$/.test(path))) return true;
  return check.paths.every((path) => ALL_FILES.test(path));
}

/** The failed checks without a later success of the same or a broader command. */
export function findOpenReds<Row extends Evidence>(evidence: readonly Row[]): Row[] {
  return evidence.filter((row, at) => {
    if (row.exitCode === 0 || !isSound(row)) return false;
    const later = evidence.slice(at + 1);
    return !later.some((other) => isSound(other) && covers(other, row));
  });
}
