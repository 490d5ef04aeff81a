import { forNames, toSet } from '../word-list.ts';

/** Files that a build tool runs, by the name of the tool: in the folder where it starts. */
export const BUILD_FILES: Readonly<Record<string, readonly string[]>> = {
  ...forNames('make gmake', ['Makefile', 'makefile', 'GNUmakefile']),
  ...forNames('invoke inv', ['tasks.py']),
  ...forNames('mvn mvnw', ['pom.xml']),
  ...forNames('gradle gradlew', ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts']),
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile', 'rakefile', 'Rakefile.rb'],
  gulp: ['gulpfile.js', 'gulpfile.mjs', 'gulpfile.ts'],
  grunt: ['Gruntfile.js', 'gruntfile.js'],
  fab: ['fabfile.py'],
  nox: ['noxfile.py'],
  tox: ['tox.ini', 'pyproject.toml', 'setup.cfg'],
  ant: ['build.xml'],
  ninja: ['build.ninja'],
  cmake: ['CMakeLists.txt'],
  scons: ['SConstruct'],
  mage: ['magefile.go'],
  composer: ['composer.json'],
  deno: ['deno.json', 'deno.jsonc'],
  lefthook: ['lefthook.yml', 'lefthook.yaml'],
  'pre-commit': ['.pre-commit-config.yaml'],
};

/** Options of build tools that name their folder. */
export const FOLDER_OPTIONS: readonly string[] = ['-C', '--directory', '--prefix', '--dir', '--cwd', '-d'];

/** Options whose value is a file of code, of programs that run no other argument. */
export const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  awk: /^(?:-f|--file|-i|--include|-E|--exec)$/,
  sed: /^(?:-f|--file)$/,
  vim: /^(?:-S|-s|-u|--cmd|-c)$/,
  gdb: /^(?:-x|-ix|--?command|--?init-command)$/,
  sqlite: /^(?:-init|-f|--file|-v)$/,
  emacs: /^(?:-l|--load|--script|-x)$/,
};

/** Other programs that run the file in their arguments. */
export const FILE_RUNNERS: ReadonlySet<string> = toSet(
  'source . java jshell go cargo swift dart crystal nim zig guile racket ocaml runghc stack elixir escript clojure bb babashka dotnet csi fsi octave matlab gjs qjs d8 txiki wasmtime wasmer uv pipx pytest mocha ava tap jest vitest ansible-playbook expect tclsh gnuplot m4 bats',
);
