/** Files that checks write and that no other check reads. */
const DERIVED =
  /(?:^|\/)(?:node_modules(?:\/\.[^/]+)?|dist|build|out|coverage|htmlcov|target|test-results|playwright-report|__pycache__|bin|obj|\.(?:nyc_output|pytest_cache|mypy_cache|ruff_cache|tox|next|turbo|vite|vitest|cache|gradle))(?:\/|$)|\.(?:pyc|tsbuildinfo|lcov)$|(?:^|\/)(?:\.coverage|\.eslintcache|\.stylelintcache|(?:junit|test-results?)[^/]*\.(?:xml|json))$/;

/** True for a path that tools write as a by-product, such as a cache or build output. */
export function isDerived(path: string): boolean {
  return DERIVED.test(path);
}
