import type { CommandEvaluation, SimpleCommand } from '../evaluation.ts';
import { toLanguage } from '../programs/interpreters.ts';
import { SHELLS } from '../programs/shells.ts';
import type { ShellFinding } from '../rules/command-rule.ts';
import { BUILD_FILES, FILE_RUNNERS } from '../../scripts/build-files.ts';
import { toSet } from '../../word-list.ts';
import { judgeAgents } from './agent-rule.ts';
import { judgeDatabases } from './database-rule.ts';
import { judgeArchives } from './archive-rule.ts';
import type { HostFacts } from './host-facts.ts';
import { judgeOutside } from './outside-rule.ts';
import { judgeKlaus } from './klaus-rule.ts';
import { judgeRemoteCode } from './remote-code-rule.ts';
import { judgeSecretPlaces } from './secret-place-rule.ts';
import { judgeServers } from './serve-rule.ts';

/** A rule about a simple command that runs without a sandbox. */
export type HostRule = (command: SimpleCommand, host: HostFacts) => ShellFinding | undefined;

export const HOST_RULES: readonly [name: string, rule: HostRule][] = [
  ['klaus', judgeKlaus],
  ['agent', judgeAgents],
  ['remote', judgeRemoteCode],
  ['database', judgeDatabases],
  ['server', judgeServers],
  ['secret', judgeSecretPlaces],
  ['archive', judgeArchives],
  ['outside', judgeOutside],
];

/** Rules about how a line is written: in scripts of the project they object to too much. */
export const OF_WRITTEN_TEXTS: ReadonlySet<string> = toSet('code environment dynamic privilege');

/** Programs that run code of the project. */
const RUNS = toSet(
  'npm npx pnpm pnpx yarn bun bunx deno node tsx ts-node pytest py.test tox nox unittest vitest jest mocha ava tap playwright cypress karma jasmine nyc c8 next vite webpack rollup esbuild parcel gulp grunt nodemon pm2 cargo go gradle gradlew mvn mvnw dotnet swift dart flutter rspec rake rails bundle phpunit pest composer artisan ctest cmake ninja meson bazel bazelisk buck2 pants sbt mill lein clj stack cabal mix rebar3 zig nim crystal dune opam julia Rscript bats shellspec behave robot nose2 hypothesis coverage uv uvx poetry pipenv hatch pdm rye django-admin flask uvicorn gunicorn celery streamlit jupyter ipython manage.py setup.py invoke fab just task lefthook pre-commit husky gcc g++ cc clang clang++ rustc javac kotlinc scalac ghc',
);

/** True for a line that can run code of files that it does not name. */
export function runsCode({ commands }: CommandEvaluation): boolean {
  return commands.some(
    ({ name, argv }) =>
      (argv[0] ?? '').includes('/') ||
      RUNS.has(name) ||
      SHELLS.has(name) ||
      FILE_RUNNERS.has(name) ||
      name in BUILD_FILES ||
      (toLanguage(name) !== undefined &&
        !/^(?:sed|gsed|g?awk|mawk|nawk|less|more|ed|red|vim?|nvim|view|ex)$/.test(name)),
  );
}
