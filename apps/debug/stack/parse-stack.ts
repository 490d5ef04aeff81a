import { isBuiltin } from 'node:module';
import { fileURLToPath } from 'node:url';

/** One line of a stack as V8 prints it, with the position in the code that ran. */
export interface RawFrame {
  /** Absolute path, or the URL of a script that has no file. */
  filePath: string;
  line?: number | undefined;
  column?: number | undefined;
  functionName?: string | undefined;
  isAsync?: boolean | undefined;
}

const LINE = /^\s*at (?<async>async )?(?:(?<name>.*?) \((?<inner>.*)\)|(?<bare>\S.*))$/;
const PLACE = /^(?<file>.+?):(?<line>\d+)(?::(?<column>\d+))?$/;
const EVAL = /^eval at (?:.+?) \((?<outer>.*)\), (?<inner>[^,]+)$/;

/** The frames of the text of a stack: ESM (`file:`), CommonJS, evaluated code and the runtime. */
export function parseStack(stack: string): RawFrame[] {
  return stack.split('\n').flatMap((line) => {
    const { async: isAsync, name, inner, bare } = LINE.exec(line)?.groups ?? {};
    const place = inner ?? bare;
    if (place === undefined) return [];
    const found = parsePlace(place);
    if (!found) return [];
    return [
      {
        ...found,
        ...(name === undefined ? {} : { functionName: name.replace(/ \[as [^\]]*\]$/, '') }),
        ...(isAsync === undefined ? {} : { isAsync: true }),
      },
    ];
  });
}

function parsePlace(place: string): RawFrame | undefined {
  const evaluated = EVAL.exec(place)?.groups;
  // Code of eval has no file: the frame is where it was evaluated.
  if (evaluated) return parsePlace(evaluated['outer']!) ?? parsePlace(evaluated['inner']!);
  const { file, line, column } = PLACE.exec(place)?.groups ?? {};
  if (file === undefined) return undefined;
  if (file === '<anonymous>' || (line === undefined && isBuiltin(file))) return undefined;
  return {
    filePath: toFilePath(file),
    line: Number(line),
    ...(column === undefined ? {} : { column: Number(column) }),
  };
}

/** `file:` URLs as paths, without the query with which loaders mark versions; any other text unchanged. */
export function toFilePath(url: string): string {
  if (!url.startsWith('file:')) return url;
  try {
    return fileURLToPath(url.replace(/[?#].*$/, ''));
  } catch {
    return url;
  }
}

/** Who wrote the code of a file. `own`: this package. */
export type FileKind = 'user' | 'package' | 'runtime' | 'own';

/** Scripts without a file (of `node:vm`, of `data:` URLs) are the user's. */
export function kindOfFile(filePath: string): FileKind {
  if (filePath === '' || filePath.startsWith('node:')) return 'runtime';
  // Its tests are user code.
  if (filePath.startsWith(OWN) && !filePath.includes('.test.')) return 'own';
  return /[\\/]node_modules[\\/]/.test(filePath) ? 'package' : 'user';
}

/** True for code of the project: not of the runtime, not of an installed package, not of this package. */
export function isUserFile(filePath: string): boolean {
  return kindOfFile(filePath) === 'user';
}

/** The name of the package of an installed file. */
export function packageOfFile(filePath: string): string | undefined {
  return /.*[\\/]node_modules[\\/](?<name>@[^\\/]+[\\/][^\\/]+|[^\\/]+)/s
    .exec(filePath)
    ?.groups!['name']!.replace('\\', '/');
}

/** Sources of this package. */
const OWN = toFilePath(new URL('..', import.meta.url).href);
