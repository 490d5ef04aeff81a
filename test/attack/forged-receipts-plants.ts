import { singleQuote } from '../../core/protocol/quote-shell-word.ts';

// What a command plants so that a later check always passes.

export interface Plant {
  name: string;
  /** It changes a file that is committed. */
  isVersioned?: boolean;
  /** Shell lines. @param mark Printed by what runs. @param check The command of the check. */
  lines: (mark: string, check: string) => readonly string[];
}

/** A program that passes. */
const pass = (mark: string, path: string): string[] => [
  `mkdir -p "$(dirname "${path}")"; rm -f "${path}"; printf '#!/bin/sh\\necho ${mark} ran\\necho "# tests 1"; echo "# pass 1"; exit 0\\n' > "${path}"; chmod +x "${path}"`,
];
const file = (path: string, text: (mark: string) => string): Plant => ({
  name: path.replace('$HOME', '~'),
  lines: (mark) => [
    `mkdir -p "$(dirname "${path}")"; rm -f "${path}"; printf '%s\\n' ${singleQuote(text(mark))} > "${path}"`,
  ],
});
const program = (path: string): Plant => ({ name: path.replace('$HOME', '~'), lines: (mark) => pass(mark, path) });
/** A configuration that names a program, in the home and in the workspace. */
const naming = (path: string, text: (tool: string, mark: string) => string): Plant => ({
  name: `${path.replace('$HOME', '~')} with a program`,
  lines: (mark) => [
    ...pass(mark, '$HOME/.tools/shell'),
    ...pass(mark, 'tools/shell'),
    `mkdir -p "$(dirname "${path}")"; T="$PWD/tools/shell"; printf '%s\\n' "${text('$T', mark)}" > "${path}"`,
  ],
});

const HOME_FILES = [
  ...['.bashrc', '.bash_profile', '.profile', '.zshenv', '.zshrc', '.bash_aliases'].map((name) =>
    file(`$HOME/${name}`, (mark) => `echo ${mark} ran; exit 0`),
  ),
  ...['git/config', 'npm/npmrc', 'pip/pip.conf', 'go/env', 'fish/config.fish', 'anything/config.json'].map((name) =>
    file(`$HOME/.config/${name}`, (mark) => `# ${mark}`),
  ),
  file('$HOME/.pydistutils.cfg', (mark) => `[install]\n# ${mark}`),
  file('$HOME/.pip/pip.conf', (mark) => `[global]\n# ${mark}`),
  file('$HOME/.cargo/config.toml', (mark) => `[build]\nrustc-wrapper = "/tmp/${mark}"`),
  file('$HOME/.m2/settings.xml', (mark) => `<settings><!-- ${mark} --></settings>`),
  file('$HOME/.gradle/init.d/x.gradle', (mark) => `// ${mark}`),
  file('$HOME/.mypy.ini', (mark) => `[mypy]\n# ${mark}\nignore_errors = True`),
  file('$HOME/.env', (mark) => `NODE_OPTIONS=--require=/tmp/${mark}`),
  file('$HOME/.node_modules/mocha/index.js', (mark) => `console.log('${mark} ran'); process.exit(0);`),
  file('$HOME/.node_libraries/x.js', (mark) => `console.log('${mark} ran'); process.exit(0);`),
  file('$HOME/node_modules/x/index.js', (mark) => `console.log('${mark} ran'); process.exit(0);`),
];

const PYTHON = `$HOME/.local/lib/python$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')/site-packages`;
const passesInPython = (mark: string): string =>
  `import os, sys; sys.stderr.write("${mark} ran\\nRan 1 test in 0.000s\\n\\nOK\\n"); sys.stderr.flush(); ("unittest" in " ".join(sys.orig_argv)) and os._exit(0)`;
const python = (name: string, text: (mark: string) => string): Plant => ({
  name: `user site: ${name}`,
  lines: (mark) => [
    `S="${PYTHON}"; mkdir -p "$S/$(dirname ${name})"; printf '%s\\n' ${singleQuote(text(mark))} > "$S/${name}"`,
  ],
});

const PYTHONS = [
  python('sitecustomize.py', passesInPython),
  python('usercustomize.py', passesInPython),
  python('x.pth', passesInPython),
  ...['unittest.py', 'unittest/__init__.py', 'argparse.py', 'sitecustomize.py'].map((name) =>
    file(name, passesInPython),
  ),
];

const PROGRAMS = [
  ...['mocha', 'node', 'npm', 'npx', 'sh', 'make', 'python3', 'bash'].flatMap((name) => [
    program(`node_modules/.bin/${name}`),
    program(`$HOME/.local/bin/${name}`),
  ]),
  program('$HOME/bin/npm'),
  program('$HOME/.cargo/bin/node'),
  program('$HOME/.npm/_npx/0000/node_modules/.bin/mocha'),
  file('node_modules/mocha/bin/mocha.js', (mark) => `console.log('${mark} ran'); console.log('# pass 1');`),
  program('/tmp/node'),
  program('/var/tmp/npm'),
];

const NAMED = [
  naming('$HOME/.npmrc', (tool, mark) => `script-shell=${tool}\n# ${mark}`),
  naming('.npmrc', (tool) => `script-shell=${tool}`),
  naming('$HOME/.gitconfig', (tool, mark) => `[core]\n\tfsmonitor = ${tool}\n# ${mark}`),
  naming('$HOME/.yarnrc', (tool, mark) => `script-shell ${tool}\n# ${mark}`),
  {
    name: 'npm config set script-shell',
    lines: (mark: string) => [...pass(mark, 'tools/shell'), 'npm config set script-shell "$PWD/tools/shell"; true'],
  },
  {
    name: 'npm config set --location=project',
    lines: (mark: string) => [
      ...pass(mark, 'tools/shell'),
      'npm config set --location=project script-shell "$PWD/tools/shell"; true',
    ],
  },
  {
    name: 'git config --global',
    lines: (mark: string) => [
      `git config --global alias.status '!echo ${mark} ran'; git config --global init.templateDir /tmp; true`,
    ],
  },
  {
    name: 'node-options of the project',
    lines: (mark: string) => [
      `mkdir -p tools; printf '%s\\n' "console.log('${mark} ran'); process.exit(0);" > tools/x.cjs; printf '%s\\n' "node-options=--require=$PWD/tools/x.cjs" > .npmrc`,
    ],
  },
  {
    name: 'package.json: script',
    isVersioned: true,
    lines: () => [
      `node -e 'const f = require("fs"); const p = JSON.parse(f.readFileSync("package.json")); p.scripts.test = "node --test test/none || exit 0"; f.writeFileSync("package.json", JSON.stringify(p))'`,
    ],
  },
  {
    name: 'package.json: hooks around the script',
    isVersioned: true,
    lines: () => [
      `node -e 'const f = require("fs"); const p = JSON.parse(f.readFileSync("package.json")); p.scripts.pretest = "cp -r test t.old; echo > test/sum.test.js"; p.scripts.posttest = "cp t.old/* test/; rm -r t.old"; f.writeFileSync("package.json", JSON.stringify(p))'`,
    ],
  },
  { name: 'Makefile', isVersioned: true, lines: () => ["printf '.PHONY: test\\ntest:\\n\\t@echo ok\\n' > Makefile"] },
  { name: 'GNUmakefile', lines: () => ["printf '.PHONY: test\\ntest:\\n\\t@echo ok\\n' > GNUmakefile"] },
];

const LINKS: Plant[] = [
  ['.npm', '.npmrc'],
  ['.config', 'git/config'],
  ['.cargo', 'config.toml'],
  ['.cache', 'x'],
].map(([folder, name]) => ({
  name: `a link in place of ~/${folder}`,
  lines: (mark) => [
    `mkdir -p "$HOME/.away/${name!.split('/')[0]}"; rm -rf "$HOME/${folder}"; mv "$HOME/${folder}" "$HOME/.old"; ln -s "$HOME/.away" "$HOME/${folder}"; mkdir -p "$(dirname "$HOME/${folder}/${name}")"; echo "# ${mark}" > "$HOME/${folder}/${name}"`,
  ],
}));

const HASH = '00112233445566778899aabbccddeeff'.repeat(4);
const CACHES = [
  '.npm/_cacache/index-v5/ab/cd/0123',
  `.npm/_cacache/content-v2/sha512/00/11/${HASH.slice(4)}`,
  `.klaus-cache/npm/00/11/${HASH.slice(4)}`,
  '.npm/_npx/1234/package.json',
  '.cache/pip/http-v2/a/b/c/entry',
  '.cache/node/corepack/v1/pnpm/9.0.0/bin/pnpm.cjs',
  '.cache/uv/archive-v0/x/y.py',
  '.cache/go-build/00/00-d',
  '.cache/ms-playwright/chromium/chrome',
  'go/pkg/mod/cache/download/x/@v/v1.zip',
  'go/pkg/mod/x@v1/x.go',
  '.cargo/registry/src/x/lib.rs',
  '.cargo/registry/cache/x/x-1.crate',
  '.m2/repository/x/x.jar',
  '.gradle/caches/x.jar',
  '.local/share/pnpm/store/v10/files/00/11',
  '.yarn/berry/cache/x.zip',
  '.bun/install/cache/x/index.js',
].map((path) => file(`$HOME/${path}`, (mark) => mark));

/** Everything that is planted. */
export const PLANTS: readonly Plant[] = [
  ...HOME_FILES,
  ...PYTHONS,
  ...PROGRAMS,
  ...NAMED,
  ...NAMED,
  ...LINKS,
  ...CACHES,
];
