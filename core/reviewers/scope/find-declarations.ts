/** Lines that declare something that other code can use, in most languages. */
const DECLARATIONS: readonly RegExp[] = [
  /^(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\*?|class|interface|enum|type)\s+([\p{L}_$][\w$]*)/u,
  /^(?:export\s+)?(?:const|let|var)\s+([\p{L}_$][\w$]*)\s*(?::[^=]+)?=/u,
  /^\s*(?:async\s+)?def\s+([\p{L}_]\w*)/u,
  /^class\s+([\p{L}_]\w*)/u,
  /^func\s+(?:\([^)]*\)\s*)?([\p{L}_]\w*)/u,
  /^type\s+([\p{L}_]\w*)\s/u,
  /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(\w+)/,
  /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait)\s+(\w+)/,
  /^\s*(?:public|private|protected)\s+(?:static\s+)?(?:final\s+)?[\w<>[\], ]+\s+(\w+)\s*\(/,
  /^ {2,4}(?:static\s+|async\s+|get\s+|set\s+|private\s+|public\s+)*([\p{L}_$#][\w$]*)\([^)]*\)\s*(?::[^{]+)?\{$/u,
];
const NO_NAMES = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'function',
  'constructor',
  '__init__',
  'with',
  'do',
  'else',
]);

/** Names that the lines declare. */
export function findDeclarations(lines: readonly string[]): string[] {
  const names = lines.flatMap((line) => {
    for (const pattern of DECLARATIONS) {
      const name = pattern.exec(line)?.[1];
      if (name !== undefined && !NO_NAMES.has(name)) return [name];
    }
    return [];
  });
  return [...new Set(names)];
}
