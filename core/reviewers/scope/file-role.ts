/** What a file is for, by its path. */
export type FileRole = 'test' | 'manifest' | 'lock' | 'ci' | 'config' | 'docs' | 'ignore' | 'license' | 'code';

const ROLES: readonly (readonly [FileRole, RegExp])[] = [
  [
    'lock',
    /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|Cargo\.lock|poetry\.lock|uv\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|go\.sum)$/,
  ],
  [
    'manifest',
    /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.py|setup\.cfg|requirements[\w-]*\.txt|Pipfile|Cargo\.toml|go\.mod|Gemfile|composer\.json|pom\.xml|build\.gradle(?:\.kts)?)$/,
  ],
  [
    'ci',
    /(?:^|\/)(?:\.github\/workflows\/|\.gitlab-ci\.yml$|\.circleci\/|Jenkinsfile$|azure-pipelines\.yml$|\.travis\.yml$)/,
  ],
  [
    'test',
    /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testdata|fixtures|__snapshots__)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)test_[^/]*\.py$|_test\.(?:go|py|rb)$|(?:^|\/)conftest\.py$|Tests?\.(?:java|kt|cs|swift)$/,
  ],
  ['license', /(?:^|\/)(?:LICEN[CS]E|COPYING|NOTICE)(?:\.\w+)?$/],
  ['ignore', /(?:^|\/)\.(?:git|docker|npm|eslint|prettier)ignore$/],
  [
    'config',
    /(?:^|\/)(?:tsconfig[\w.-]*\.json|jsconfig\.json|\.?(?:eslint|prettier|babel|jest|vitest|vite|webpack|rollup|biome|tailwind|postcss|next|stylelint|playwright|commitlint)(?:rc)?(?:\.config)?\.(?:json|jsonc|js|cjs|mjs|ts|mts|ya?ml)|\.(?:eslintrc|prettierrc|babelrc|editorconfig|npmrc|nvmrc|pylintrc|flake8|gitattributes)|tox\.ini|pytest\.ini|mypy\.ini|ruff\.toml|\.golangci\.ya?ml|\.pre-commit-config\.yaml|Dockerfile|docker-compose[\w.-]*\.ya?ml|Makefile|\.vscode\/[^/]+|\.husky\/[^/]+|renovate\.json|dependabot\.yml|CODEOWNERS)$/,
  ],
  ['docs', /\.(?:md|mdx|rst|adoc)$|(?:^|\/)docs?\//],
];

export function findRole(path: string): FileRole {
  return ROLES.find(([, pattern]) => pattern.test(path))?.[0] ?? 'code';
}

/** True if `path` is a test of the file, by its name. */
export function isTestOf(path: string, file: string): boolean {
  const toStem = (each: string) =>
    each
      .slice(each.lastIndexOf('/') + 1)
      .replace(/^test_/, '')
      .replace(/(?:[._-](?:test|spec)s?)?\.\w+$/, '')
      .replace(/(?:_test|Tests?)$/, '')
      .toLowerCase();
  return findRole(path) === 'test' && toStem(path) === toStem(file);
}
