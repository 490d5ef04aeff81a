import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findComputedPatterns, findOpenValidators } from './computed-patterns.ts';

const root = join(import.meta.dirname, '..');

/**
 * The places that compile an expression from a text. A pattern of others (a schema, a file of a project, an answer of a
 * server, an argument of a model) hangs the process; it goes through `core/policy/linear-pattern.ts`.
 */
const KNOWN: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'parts of this source code': {
    'adapters/format/formatters.ts': 1,
    'adapters/models/failure/error-body.ts': 1,
    'adapters/models/failure/model-limits.ts': 2,
    'adapters/sandboxes/availability.ts': 1,
    'adapters/sandboxes/bubblewrap/environments.ts': 1,
    'adapters/sandboxes/git-settings.ts': 1,
    'adapters/sandboxes/home/inspect.ts': 1,
    'adapters/tools/deploy/s3-bucket.ts': 1,
    'adapters/tools/git/push-branch.ts': 1,
    'adapters/tools/project/project-program.ts': 1,
    'adapters/tools/test/find-runner.ts': 1,
    'adapters/tools/test/python-summary.ts': 1,
    'apps/claude-code/hooks/install/settings-file.ts': 1,
    'apps/claude-code/verification/chain/find-checks.ts': 1,
    'apps/debug/launch/child-environment.ts': 1,
    'apps/server/http/app.ts': 1,
    'apps/terminal/app/pickers.ts': 1,
    'apps/terminal/commands/user-commands.ts': 1,
    'apps/terminal/screen/safe-line.ts': 1,
    'apps/web/markdown/file-paths.ts': 1,
    'apps/web/markdown/parser.ts': 1,
    'core/agent/questions/secret-words.ts': 1,
    'core/policy/checks/live-assertions.ts': 3,
    'core/policy/secrets/credential-files.ts': 1,
    'core/policy/secrets/keyed/find-keyed.ts': 1,
    'core/policy/secrets/keyed/shaped-rules.ts': 1,
    'core/policy/secrets/rule-set.ts': 5,
    'core/policy/shell/rules/code-signs.ts': 1,
    'core/protocol/messages/prompt-template.ts': 1,
    'core/reviewers/scope/asked-clauses.ts': 2,
    'core/reviewers/scope/named-paths.ts': 1,
    'core/reviewers/style/requested-style.ts': 4,
    'sdk/config/load-configuration.ts': 1,
    'sdk/prompts/saved-prompts.ts': 1,
  },
  'numbers, or words of letters and digits': {
    'adapters/store/shared/recall/excerpt.ts': 3,
    'adapters/tools/terraform/plan-file.ts': 1,
    'apps/cli/prompt/clack-questions.ts': 1,
    'apps/server/handlers/host.ts': 1,
    'core/policy/checks/replaced-assertions.ts': 3,
    'core/reviewers/scope/anchors.ts': 1,
  },
  'escaped text': {
    'adapters/models/adaptation/find-adaptations.ts': 2,
    'apps/web/markdown/footnotes.ts': 1,
    'core/policy/project/python-dependencies.ts': 1,
    'core/reviewers/scope/request-limits.ts': 1,
    'core/reviewers/style/find-rename.ts': 1,
  },
  'one set of characters': {
    'core/policy/glob.ts': 1,
    'core/policy/shell/expansion/expand.ts': 1,
  },
  'checked to have no repetition': { 'core/policy/shell/programs/sed.ts': 1 },
  'expressions of the program that uses the library': { 'apps/debug/redact/create-redactor.ts': 2 },
  'scripts of the user for the scripted model, in a process of their own': {
    'adapters/models/scripted/match.ts': 2,
    'adapters/models/scripted/script.ts': 1,
    'adapters/models/scripted/template.ts': 2,
  },
};

test('no other place compiles an expression from a text', () => {
  expect(findComputedPatterns(root)).toEqual(Object.assign({}, ...Object.values(KNOWN)));
});

test('schemas are checked with patterns in linear time', () => expect(findOpenValidators(root)).toEqual([]));

test('each way to compile a text is found', () => {
  const tree = mkdtempSync(join(tmpdir(), 'klaus-patterns-'));
  onTestFinished(() => rmSync(tree, { recursive: true }));
  const files = {
    'core/new.ts': 'export const f = (text: string) => new RegExp(text);',
    'sdk/call.ts': 'export const f = (text: string) => RegExp(`^${text}`);',
    'apps/cli/match.ts': 'export const f = (a: string, b: string) => a.match(`${b}`) ?? a.search("x");',
    'apps/cli/fine.ts': 'export const f = (a: string) => [a.match(/x/), new RegExp("x", "g"), a.matchAll(/x/g)];',
    'apps/cli/check.ts': "import { Ajv } from 'ajv';\nexport const ajv = new Ajv({});",
    'apps/cli/a.test.ts': 'export const f = (text: string) => new RegExp(text);',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
  expect(findComputedPatterns(tree)).toEqual({ 'apps/cli/match.ts': 2, 'core/new.ts': 1, 'sdk/call.ts': 1 });
  expect(findOpenValidators(tree)).toEqual(['apps/cli/check.ts']);
});
