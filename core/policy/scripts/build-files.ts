/** Files that a build tool runs, by the name of the tool: in the folder where it starts. */
export const BUILD_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ['Makefile', 'makefile', 'GNUmakefile'],
  gmake: ['Makefile', 'makefile', 'GNUmakefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml'],
  rake: ['Rakefile', 'rakefile', 'Rakefile.rb'],
  gulp: ['gulpfile.js', 'gulpfile.mjs', 'gulpfile.ts'],
  grunt: ['Gruntfile.js', 'gruntfile.js'],
  invoke: ['tasks.py'],
  inv: ['tasks.py'],
  fab: ['fabfile.py'],
  nox: ['noxfile.py'],
  tox: ['tox.ini', 'pyproject.toml', 'setup.cfg'],
  gradle: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
  gradlew: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
  mvn: ['pom.xml'],
  mvnw: ['pom.xml'],
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
export const FILE_RUNNERS: ReadonlySet<string> = new Set(
  'source . java jshell go cargo swift dart crystal nim zig guile racket ocaml runghc stack elixir escript clojure bb babashka dotnet csi fsi octave matlab gjs qjs d8 txiki wasmtime wasmer uv pipx pytest mocha ava tap jest vitest ansible-playbook expect tclsh gnuplot m4 bats'.split(
    ' ',
  ),
);
