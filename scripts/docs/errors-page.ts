import { ERROR_CODES, ERROR_MEANINGS } from '../../core/protocol/index.ts';
import { ERROR_EXITS, EXIT, EXIT_MEANINGS, OUTCOME_EXITS, type ExitName } from '../../apps/cli/program/exit-codes.ts';
import { ERROR_STATUSES } from '../../apps/server/http/error-statuses.ts';
import { toPage, toTable } from './markdown.ts';

/** `docs/reference/errors.md`: error codes and exit codes. */
export function toErrorsPage(): string {
  const names = Object.keys(EXIT) as ExitName[];
  return toPage(
    '# Errors and exit codes',
    'Every error has one of these codes, a message and mostly a hint. With `--json` an error is one JSON object on standard error. The server answers with the code in problem details (RFC 9457).',
    '## Error codes',
    toTable(
      ['Code', 'Meaning', 'Exit code', 'HTTP status'],
      ERROR_CODES.map((code) => [
        `\`${code}\``,
        ERROR_MEANINGS[code],
        String(EXIT[ERROR_EXITS[code]]),
        String(ERROR_STATUSES[code]),
      ]),
    ),
    '## Exit codes',
    'A command exits with 0 only when it succeeded.',
    toTable(
      ['Exit code', 'Meaning'],
      names.map((name) => [String(EXIT[name]), EXIT_MEANINGS[name]]),
    ),
    '## How a run ends',
    'The `outcome` of `run.finished` and the exit code of `klaus run`. A key that the provider refused exits with 3.',
    toTable(
      ['Outcome', 'Exit code'],
      Object.entries(OUTCOME_EXITS).map(([outcome, name]) => [`\`${outcome}\``, String(EXIT[name])]),
    ),
    'A check that is still red counts first: `failed`. Else the outcome is `denied` while a denied call of the run stands in the way, whichever call was denied last. A denied call stands in the way until a later call of the same run gets past the gate for the same purpose:',
    [
      '- the same tool with the same command in the same folder, or with the same input (time limit, network and background do not count), or',
      '- a tool with at least the effects of the denied one that names, or changes, every file that the denied call named, or',
      '- where the rule `path` denied a place outright, so that no approval opens it: the same tool at another place. Each such call replaces one denied call.',
    ].join('\n'),
    'Any other call is not in its place: a run that was denied `git push` and then lists files ends as `denied`. What came of the later call does not matter. Every door reads this from `run.finished`.',
  );
}
