import { isRecord } from '../protocol/is-record.ts';

// Results of the tools of klendathu, the debugger of running programs. A session can have other tools of these names, so
// everything is checked: a result that is none of these is shown as text.

/** A frame of a call stack. */
export interface DebugFrame {
  filePath: string;
  line?: number;
  column?: number;
  functionName?: string;
  /** False for code of the runtime and of packages. */
  isUser: boolean;
  /** A caller across an `await`. */
  isAsync: boolean;
}

/** A variable, a property or an element. */
export interface DebugValue {
  name: string;
  type: string;
  preview: string;
  size?: number;
  /** Absent: it has none, or they were not read. */
  children?: DebugValue[];
  /** Children that were left out. */
  omitted: number;
}

export interface DebugReport {
  /** Markdown. */
  text: string;
  rootCause?: { file: string; line: number; explanation: string; confidence: number };
  evidence: { source: string; finding: string }[];
  fix?: { unifiedDiff: string; risk: 'low' | 'medium' | 'high' };
}

export type DebugResult =
  | { kind: 'frames'; frames: DebugFrame[] }
  | { kind: 'locals'; frame: number; values: DebugValue[] }
  | { kind: 'report'; report: DebugReport };

/** A finished call. */
interface DebugCall {
  name: string;
  input: unknown;
  /** Its complete output. */
  output: string;
}

/** Levels of values that are read. */
const MAX_DEPTH = 50;

/** True if a call of this tool can have a {@link DebugResult}. */
export function isDebugTool(name: string): boolean {
  return name === 'frames' || name === 'locals' || name === 'report';
}

/** Undefined for a result that does not have the shape of its tool. */
export function readDebugResult({ name, input, output }: DebugCall): DebugResult | undefined {
  if (name === 'report') {
    const report = isRecord(input) ? readReport(input) : undefined;
    return report && { kind: 'report', report };
  }
  if (name !== 'frames' && name !== 'locals') return undefined;
  const result = parse(output);
  if (!isRecord(result)) return undefined;
  if (name === 'frames') {
    const frames = readList(result['frames'], readFrame);
    return frames && { kind: 'frames', frames };
  }
  const values = readList(result['values'], (value) => readValue(value, MAX_DEPTH));
  const frame = isRecord(input) && typeof input['frame'] === 'number' ? input['frame'] : 0;
  return values && { kind: 'locals', frame, values };
}

/** `src/sum.js:3`. */
export function toDebugPlace(file: string, line?: number): string {
  return line === undefined ? file : `${file}:${line}`;
}

function readFrame(value: unknown): DebugFrame | undefined {
  if (!isRecord(value) || typeof value['filePath'] !== 'string') return undefined;
  const { filePath, line, column, functionName, isUser, isAsync } = value;
  return {
    filePath,
    ...(typeof line === 'number' && { line }),
    ...(typeof column === 'number' && { column }),
    ...(typeof functionName === 'string' && { functionName }),
    isUser: isUser !== false,
    isAsync: isAsync === true,
  };
}

function readValue(value: unknown, depth: number): DebugValue | undefined {
  if (!isRecord(value) || depth === 0) return undefined;
  const { name, type, preview, size, children: given, omitted } = value;
  if (typeof name !== 'string' || typeof type !== 'string' || typeof preview !== 'string') return undefined;
  const children = given === undefined ? undefined : readList(given, (child) => readValue(child, depth - 1));
  if (given !== undefined && !children) return undefined;
  return {
    name,
    type,
    preview,
    ...(typeof size === 'number' && { size }),
    ...(children && { children }),
    omitted: typeof omitted === 'number' ? omitted : 0,
  };
}

function readReport({ text, rootCause, evidence = [], fix }: Record<string, unknown>): DebugReport | undefined {
  if (typeof text !== 'string') return undefined;
  const found = readList(evidence, readEvidence);
  const cause = readCause(rootCause);
  const patch = readFix(fix);
  if (!found || (rootCause !== undefined && !cause) || (fix !== undefined && !patch)) return undefined;
  return { text, evidence: found, ...(cause && { rootCause: cause }), ...(patch && { fix: patch }) };
}

function readEvidence(value: unknown): DebugReport['evidence'][number] | undefined {
  if (!isRecord(value)) return undefined;
  const { source, finding } = value;
  return typeof source === 'string' && typeof finding === 'string' ? { source, finding } : undefined;
}

function readCause(value: unknown): DebugReport['rootCause'] {
  if (!isRecord(value)) return undefined;
  const { file, line, explanation, confidence } = value;
  if (typeof file !== 'string' || typeof line !== 'number') return undefined;
  if (typeof explanation !== 'string' || typeof confidence !== 'number') return undefined;
  return { file, line, explanation, confidence };
}

function readFix(value: unknown): DebugReport['fix'] {
  if (!isRecord(value)) return undefined;
  const { unifiedDiff, risk } = value;
  if (typeof unifiedDiff !== 'string' || (risk !== 'low' && risk !== 'medium' && risk !== 'high')) return undefined;
  return { unifiedDiff, risk };
}

/** Undefined unless every item can be read. */
function readList<T>(value: unknown, read: (item: unknown) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items: T[] = [];
  for (const item of value) {
    const found = read(item);
    if (found === undefined) return undefined;
    items.push(found);
  }
  return items;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
