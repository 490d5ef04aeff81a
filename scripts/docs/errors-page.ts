import { ERROR_CODES, ERROR_MEANINGS } from '../../core/protocol/index.ts';
import { ERROR_EXITS, EXIT, EXIT_MEANINGS, OUTCOME_EXITS, type ExitName } from '../../apps/cli/program/exit-codes.ts';
import { ERROR_STATUSES } from '../../apps/server/http/error-statuses.ts';
import { toPage, toTable } from './markdown.ts';

/** `docs/reference/errors.md`: error codes and exit codes. */
export function toErrorsPage(): string {
  const names = Object.keys(EXIT) as ExitName[];
  return toPage(
    '# Errors and exit codes',
    'Every error has one of these codes, a message and usually a hint. With `--json` an error is one JSON object on standard error. The server sends the code in problem details (RFC 9457). The status 424 reports that something failed that the server does not control, such as a program, a service or a model. 5xx is a fault of the server itself, or of its database or scheduler.',
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
    'A command exits with 0 only after success.',
    toTable(
      ['Exit code', 'Meaning'],
      names.map((name) => [String(EXIT[name]), EXIT_MEANINGS[name]]),
    ),
    '## How a run ends',
    'The `outcome` of `run.finished` and the exit code of `klaus run`. A key that the provider rejects gives exit code 3.',
    toTable(
      ['Outcome', 'Exit code'],
      Object.entries(OUTCOME_EXITS).map(([outcome, name]) => [`\`${outcome}\``, String(EXIT[name])]),
    ),
    'A check that still fails takes precedence: `failed`. Otherwise the outcome is `denied` while a denied call of the run is unresolved. A denied call is resolved when the gate allows a later call of the same run for the same purpose:',
    [
      '- the same tool with the same command in the same folder, or with the same input (except time limit, network and background), or',
      '- a tool with at least the effects of the denied one that names or changes every file of the denied call, or',
      '- for a path that the rule `path` denies without the option of an approval: the same tool with another path. Each such call resolves one denied call.',
    ].join('\n'),
    'No other call resolves it: a run that is denied `git push` and then lists files ends as `denied`. The result of the later call does not matter. Every door reads the outcome from `run.finished`.',
  );
}
