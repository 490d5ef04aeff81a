import { Script } from 'node:vm';

/** Code with its last expression apart, so that its value can be kept in an object. */
export interface SplitCode {
  /** Statements before the last expression. */
  head: string;
  /** Undefined if the code does not end with an expression. */
  tail: string | undefined;
  isAsync: boolean;
}

const CANDIDATES = 400;
/** At a line break these continue the statement. */
const CONTINUES = /^\s*(?:[[(`+\-*/%,.?:<>=&|^!~]|in\b|instanceof\b)/;

/**
 * Finds the last expression of code, by compiling it.
 *
 * @throws {SyntaxError} For code that does not compile.
 */
export function splitCode(code: string): SplitCode {
  const isAsync = !compiles(`{${code}\n}`) && !compiles(`(${code}\n)`);
  if (isAsync && compiles(`(function () {${code}\n})`)) throw new SyntaxError('Illegal return statement');
  const wrap = isAsync ? (text: string) => `(async () => {${text}\n})` : (text: string) => `{${text}\n}`;
  const wrapTail = isAsync ? (text: string) => `(async () => (${text}\n))` : (text: string) => `(${text}\n)`;
  const trimmed = code.replace(/[\s;]+$/, '');
  const isDeclaration = /^\s*(?:(?:async\s+)?function\b\s*\*?|class\b)\s*[A-Za-z_$]/.test(trimmed);
  if (trimmed !== '' && !isDeclaration && compiles(wrapTail(trimmed))) return { head: '', tail: trimmed, isAsync };
  // A block cannot hold what is only allowed outside, such as `import`; compiling reports the error.
  if (!compiles(wrap(code))) new Script(isAsync ? wrap(code) : code);
  let tried = 0;
  for (const { index, 0: mark } of trimmed.matchAll(/[;\n}]/g)) {
    if (tried++ > CANDIDATES) break;
    const head = trimmed.slice(0, index + 1);
    const tail = trimmed.slice(index + 1);
    if (tail.trim() === '' || (mark !== ';' && CONTINUES.test(tail)) || isComment(head)) continue;
    if (compiles(wrapTail(tail)) && compiles(wrap(head))) return { head, tail, isAsync };
  }
  return { head: code, tail: undefined, isAsync };
}

function isComment(head: string): boolean {
  return head.endsWith('\n') ? false : /\/\//.test(head.slice(head.lastIndexOf('\n') + 1));
}

function compiles(code: string): boolean {
  try {
    new Script(code);
    return true;
  } catch {
    return false;
  }
}

/** Names that code declares at its top level, as far as a search finds them; more or fewer do no harm. */
export function findDeclared(head: string): string[] {
  const names = [
    ...head.matchAll(
      /(?:^|[;\n}])\s*(?:const|let|var|class|(?:async\s+)?function\s*\*?)\s*(?<=[\s*])(?<name>[A-Za-z_$][\w$]*)/g,
    ),
  ];
  const unpacked = [...head.matchAll(/(?:^|[;\n}])\s*(?:const|let|var)\s*[[{](?<names>[^=]*)[\]}]\s*=/g)];
  const inner = unpacked.flatMap(
    ({ groups }) => groups!['names']!.match(/[A-Za-z_$][\w$]*(?=\s*(?:[,=\]}]|$))/g) ?? [],
  );
  return [...new Set([...names.map(({ groups }) => groups!['name']!), ...inner])];
}
