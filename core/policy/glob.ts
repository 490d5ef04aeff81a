/** `*` within a name, `**` over folders, `?` one character; a pattern without a slash fits in every folder. */
export function matchesGlob(relative: string, pattern: string): boolean {
  return toGlob(pattern).test(relative);
}

const globs = new Map<string, RegExp>();

function toGlob(pattern: string): RegExp {
  let glob = globs.get(pattern);
  if (!glob) {
    const source = pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\*\*\/?|\*|\?/g, (part) =>
        part === '**/' ? '(?:.*/)?' : part === '**' ? '.*' : part === '*' ? '[^/]*' : '[^/]',
      );
    glob = new RegExp(`^${pattern.includes('/') ? '' : '(?:.*/)?'}${source.replace(/^\//, '')}(?:/.*)?$`);
    globs.set(pattern, glob);
  }
  return glob;
}
