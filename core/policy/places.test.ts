import { describe, expect, test } from 'vitest';
import { AGENT_CONFIGURATION, placeOf, placesBelow } from './places.ts';
import { PROTECTED_PLACES } from './protected-places.ts';

describe('a protected place', () => {
  test.each(
    `
    .devcontainer/devcontainer.json .zed/settings.json .helix/languages.toml .kiro/hooks/x.kiro.hook .roo/rules/a.md
    .amazonq/rules/a.md .clinerules .clinerules/a.md .junie/guidelines.md .trae/rules/a.md .augment/rules/a.md
    CLAUDE.local.md opencode.json .aider.conf.yml .pre-commit-config.yaml lefthook.yml .lintstagedrc .lintstagedrc.mjs
    mise.toml .mise.local.toml .exrc .nvim.lua .vimrc .dir-locals.el .gdbinit app.code-workspace .cargo/config.toml
    .pnp.cjs .yarn/releases/yarn.cjs sitecustomize.py .mvn/extensions.xml .gitea/workflows/a.yml .forgejo/workflows/a.yml
    .woodpecker.yml .cirrus.yml .git/info/attributes .vscode .vscode/tasks.json .vscode/tasks.json/inner AGENTS.md
    .github/workflows/ci.yml .github/copilot-instructions.md Jenkinsfile .Rprofile packages/app/.npmrc A/B/.ENVRC
    .trunk/trunk.yaml .pants.rc .vscode/c_cpp_properties.json .aspect/cli/config.yaml config.nims Session.vim .miserc.toml
    CODEOWNERS docs/CODEOWNERS .github/CODEOWNERS .gitlab/CODEOWNERS renovate.json .github/renovate.json5 .renovaterc
    .github/dependabot.yml user.bazelrc .bazelrc.user .gradle/init.d/x.gradle .git./config .ENV::$DATA/../.claude/x
    git~1/config .claude::$INDEX_ALLOCATION/settings.json .mcp.jſon .emacs.desktop .lazy.lua .shadowenv.d/500.lisp
    .claude .husky/pre-commit .bashrc .idea/workspace.xml .hg/hgrc gradle/wrapper/gradle-wrapper.properties
  `
      .trim()
      .split(/\s+/),
  )('%s', (path) => {
    expect(placeOf(path)).toBeDefined();
  });

  test.each(
    `
    package.json Makefile src/index.ts README.md docs/claude.txt .vscode/foo.txt .github/ISSUE_TEMPLATE/bug.md .gitignore
    .gitattributes .editorconfig eslint.config.js vite.config.ts .nvmrc Dockerfile compose.yaml pyproject.toml setup.cfg
    conftest.py build.rs Cargo.toml go.mod deno.json tsconfig.json .prettierrc .yarn/cache/x.zip .cargo/registry/x
    .config/app.json github/workflows/ci.yml workflows/ci.yml my.claude/settings.json mise.lock .env.example gradle/libs.toml
  `
      .trim()
      .split(/\s+/),
  )('is not %s', (path) => {
    expect(placeOf(path)).toBeUndefined();
  });

  test('is found regardless of characters that a filesystem ignores', () => {
    expect(placeOf('.CLA\u200cUDE/settings.json')).toBe('agent');
    expect(placeOf('.\u212airo/hooks/a')).toBe('agent');
  });

  test.each(['tox.ini', 'noxfile.py', 'packages/a/tox.ini'])('is %s only if it is new', (path) => {
    expect(placeOf(path)).toBeUndefined();
    expect(placeOf(path, { isNew: true })).toBe('startup');
  });

  test("is git's own before all else", () => {
    expect(placeOf('.claude/.git/hooks/pre-commit')).toBe('git');
  });

  test('can come by a link at a folder above it', () => {
    expect(placesBelow('pkg/.cargo')).toEqual(['config.toml', 'config']);
    expect(placesBelow('src')).toEqual([]);
  });
});

describe('the list', () => {
  test('says for each row which tool loads it and where that is documented, and names none twice', () => {
    for (const { pattern, why, source } of PROTECTED_PLACES) {
      expect(pattern, why).toMatch(/^[^\s/!A-Z][^\s!A-Z]*$/);
      expect(why).not.toBe('');
      expect(source).toMatch(/^https:\/\/\S+$|^docs\/\S+$/);
    }
    const patterns = PROTECTED_PLACES.map(({ pattern }) => pattern);
    expect(patterns.filter((pattern, at) => patterns.indexOf(pattern) !== at)).toEqual([]);
  });

  test('gives the sandbox what no command changes', () => {
    expect(AGENT_CONFIGURATION).toEqual(
      expect.arrayContaining(['.claude', '.kiro', '.zed', '.mcp.json', '.vscode/tasks.json']),
    );
    expect(AGENT_CONFIGURATION.filter((name) => placeOf(name) !== 'agent')).toEqual([]);
  });
});
