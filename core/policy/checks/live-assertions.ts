const ASSERTIONS =
  /\bassert\w*(?:\.\w+)*\s*\(|^\s*assert\s|\bexpect\s*\(|\bt\.(?:is|true|deepEqual|Error|Fatal|equal)\w*\(|\bassert\w*!/gm;
const BRACES = /\.(?:[cm]?[jt]sx?|go|rs|java|kt|php|cs|swift)$/;
/** Strings, comments and regular expressions of languages with braces. Bounded, for a source that is made to be slow. */
const TEXTS =
  /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|'(?:\\.|[^'\\\n]){0,1000}'|"(?:\\.|[^"\\\n]){0,1000}"|`(?:\\[^]|[^`\\])*(?:`|\\?$)|(?<=[(,=:[!&|?{};]\s{0,99})\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,99}\]|[^/\\\n[]){1,300}\/[a-z]*/g;
const NEVER = String.raw`(?:0|false|null|undefined|!1|!true|void 0)`;
const DEAD_LOOP = new RegExp(
  String.raw`\bwhile\s*\(\s*${NEVER}\s*\)$|\bfor\s*\([^;]*;\s*${NEVER}\s*;|\bof\s*\[\s*\]\s*\)$|\bif\s*\(?\s*${NEVER}\s*\)?$`,
);
/** What a block that catches an error does to let the test fail. */
const FAILS = /\b(?:throw|raise|assert\w*|expect|fail\w*|reject|done|next|panic|t\.\w+)\b/;
/** An assertion in Python that holds for every value. */
const HOLDS_ALWAYS = /^\s*assert\b.*\bor (?:True|1)\s*$/;
const LEAVES = /^\s*(?:return\b|throw\b|process\.exit\b|sys\.exit\b|os\._exit\b|panic\()/;
/** A test that ends under a condition, with no value. */
const MAY_LEAVE = /^\s*if\s*\([^]*\)\s*(?:return|process\.exit\([^()]*\))\s*$/;
const ONLY_LEAVES = /^\s*(?:return|process\.exit\([^()]*\))\s*;?\s*$/;

/**
 * Number of assertions that run whenever their test runs: not those after a `return`, in a loop over nothing, or in a
 * `try` whose errors are ignored. An approximation by the text. JavaScript is parsed instead (`javascript/`).
 */
export function countLiveAssertions(text: string, path: string): number {
  if (path.endsWith('.py')) return countPython(text);
  if (!BRACES.test(path)) return [...text.matchAll(ASSERTIONS)].length;
  const masked = text.replace(TEXTS, (found) => found.replace(/[^\n]/g, ' '));
  const blocks = findBlocks(masked);
  const dead = blocks.filter((block) => isDead(masked, block));
  const live = [...masked.matchAll(ASSERTIONS)].filter(({ index }) => {
    if (dead.some(({ from, to }) => from < index && index < to)) return false;
    const inner = blocks.filter(({ from, to }) => from < index && index < to);
    return !inner.some((block) => isLeft(masked, block, { blocks, index }));
  });
  return live.length;
}

interface Block {
  /** Position of its opening brace, and of its closing one. */
  from: number;
  to: number;
}

function findBlocks(masked: string): Block[] {
  const blocks: Block[] = [];
  const open: number[] = [];
  for (const { 0: brace, index } of masked.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index);
    else {
      const from = open.pop();
      if (from !== undefined) blocks.push({ from, to: index });
    }
  }
  return blocks;
}

/** Position at which the statement around a position begins. */
function toStart(masked: string, index: number): number {
  let depth = 0;
  for (let at = index - 1; at >= 0; at--) {
    const sign = masked[at]!;
    if (sign === ')') depth++;
    else if (sign === '(') {
      // The statement is an argument of a call, as the body of a test is.
      if (depth === 0) return at + 1;
      depth--;
    } else if (depth === 0 && (sign === ';' || sign === '{' || sign === '}')) return at + 1;
  }
  return 0;
}

function isDead(masked: string, { from, to }: Block): boolean {
  const head = masked.slice(toStart(masked, from), from).trim();
  if (DEAD_LOOP.test(head)) return true;
  if (/\btry$/.test(head)) {
    const [found, handler] = /^\}\s*catch\b[^{]*\{([^}]*)/.exec(masked.slice(to)) ?? [];
    return found !== undefined && !FAILS.test(handler!);
  }
  return false;
}

/** True if a block is left before a position, by a statement directly in it. */
function isLeft(
  masked: string,
  { from }: Block,
  { blocks, index }: { blocks: readonly Block[]; index: number },
): boolean {
  const nested = blocks.filter((block) => block.from > from && block.to < index);
  const isGuard = (block: Block): boolean =>
    ONLY_LEAVES.test(masked.slice(block.from + 1, block.to)) &&
    /^\s*if\b/.test(masked.slice(toStart(masked, block.from), block.from)) &&
    !blocks.some((other) => other.from > from && other.from < block.from && other.to > block.to);
  if (nested.some(isGuard)) return true;
  let own = masked.slice(from + 1, index);
  for (const block of nested)
    own = own.slice(0, block.from - from) + ' '.repeat(block.to - block.from - 1) + own.slice(block.to - from - 1);
  const statements = own.split(/[;}\n]/).slice(0, -1);
  if (statements.some((statement) => MAY_LEAVE.test(statement))) return true;
  return statements.some(
    (statement, at) =>
      LEAVES.test(statement) &&
      !/\)\s*$|\belse\s*$|=>\s*$|:\s*$/.test(toBefore(statements, at)) &&
      !holds(statement, own, index - from - 1),
  );
}

function toBefore(statements: readonly string[], at: number): string {
  return statements.slice(0, at).findLast((statement) => statement.trim() !== '') ?? '';
}

/** True if the statement that leaves is the one at the position, such as `return expect(…)`. */
function holds(statement: string, own: string, index: number): boolean {
  return own.lastIndexOf(statement) + statement.length >= index;
}

/** The same by indentation. */
function countPython(text: string): number {
  const lines = text.replace(/"""[^]*?"""|'''[^]*?'''/g, (found) => found.replace(/[^\n]/g, '')).split('\n');
  const open: { depth: number; word?: string; isDead: boolean }[] = [];
  let live = 0;
  for (const [at, line] of lines.entries()) {
    const code = line.replace(/#.*$/, '');
    if (code.trim() === '') continue;
    const depth = code.search(/\S/);
    while (open.length > 0 && open.at(-1)!.depth >= depth) open.pop();
    const isDead = open.some((block) => block.isDead);
    if (!isDead && !HOLDS_ALWAYS.test(code)) live += [...code.matchAll(ASSERTIONS)].length;
    const [, word, condition = ''] =
      /^\s*(if|elif|else|while|for|try|with|async with|def|class|async def|except|finally)\b(.*):\s*$/.exec(code) ?? [];
    const above = open.at(-1);
    if (/^\s*if\b.*:\s*return\s*$/.test(code)) open.push({ depth: depth - 1, isDead: true });
    else if (above?.word === 'if' && /^\s*return\s*$/.test(code)) open.push({ depth: above.depth - 1, isDead: true });
    else if (word !== undefined)
      open.push({ depth, word, isDead: isDeadPython(word, condition.trim(), { lines, at, depth }) });
    else if (LEAVES.test(code)) open.push({ depth: depth - 1, isDead: true });
  }
  return live;
}

/** Lines of a file, and the position of one. */
interface Line {
  lines: readonly string[];
  at: number;
  depth: number;
}

function isDeadPython(word: string, condition: string, line: Line): boolean {
  if (word === 'if') return !/__name__|^(?:True|1)$/.test(condition);
  if (word === 'elif' || word === 'else') return true;
  if (word === 'while' || word === 'for') return /^(?:False|0)$|\bin\s*(?:\[\s*\]|\(\s*\))$/.test(condition);
  if (word.endsWith('with')) return /\b(?:suppress|raises|assertRaises\w*)\s*\(/.test(condition);
  if (word.endsWith('def') || word === 'class') return !isCalled(word, condition, line);
  if (word !== 'try') return false;
  const [handler, last] = [toClause('except', line), toClause('finally', line)];
  return (
    (handler !== undefined && !FAILS.test(handler)) ||
    (last !== undefined && /\b(?:return|break|continue)\b/.test(last))
  );
}

/** True for a function or a class that a runner finds, or that the file names elsewhere. */
function isCalled(word: string, condition: string, { lines, at, depth }: Line): boolean {
  const [name = '', bases = ''] = condition.split(/\(|$/);
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((other) => other.trim() !== '' && other.search(/\S/) < depth);
  // A later definition of the same name takes its place.
  const later = new RegExp(String.raw`^\s{${depth}}(?:async )?${word === 'class' ? 'class' : 'def'} ${name}\b`);
  if (rest.slice(0, end < 0 ? undefined : end).some((other) => later.test(other))) return false;
  if (
    word === 'class'
      ? name.startsWith('Test') || /\w/.test(bases)
      : /^(?:test|setUp|tearDown|setup|teardown|pytest_)/.test(name)
  )
    return true;
  if (!lines.some((other) => /^\s*(?:async )?def test/.test(other))) return true;
  return lines.filter((other, index) => index !== at && new RegExp(String.raw`\b${name}\b`).test(other)).length > 0;
}

/** The lines of the clause `except` or `finally` of a `try`; undefined without one. */
function toClause(word: string, { lines, at, depth }: Line): string | undefined {
  const rest = lines.slice(at + 1);
  const end = rest.findIndex(
    (line) => line.trim() !== '' && line.search(/\S/) <= depth && !/^\s*(?:except|else|finally)\b/.test(line),
  );
  const own = rest.slice(0, end < 0 ? undefined : end);
  const begin = own.findIndex((line) => line.search(/\S/) === depth && line.trim().startsWith(word));
  if (begin < 0) return undefined;
  const clause = own.slice(begin + 1);
  const next = clause.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= depth);
  return clause.slice(0, next < 0 ? undefined : next).join('\n');
}
