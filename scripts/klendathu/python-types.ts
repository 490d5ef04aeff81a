import { z } from 'zod';
import { budgetSchema, errorSummarySchema, implementInputSchema } from '../../apps/debug/contract/cli-input.ts';
import { CHILD_NAMES, CHILD_PATTERN } from '../../apps/debug/contract/child-variables.ts';
import { investigateInputSchema, PROTOCOL_VERSION } from '../../apps/debug/contract/cli-input.ts';
import { contextEntrySchema } from '../../apps/debug/contract/context-entry.ts';
import { debugRecordSchema } from '../../apps/debug/contract/debug-record.ts';
import { consoleEntrySchema, DEBUG_TOOLS, IMPLEMENT_TOOLS } from '../../apps/debug/contract/debug-tools.ts';
import { FAILURE_CODES } from '../../apps/debug/contract/failure-codes.ts';
import * as report from '../../apps/debug/contract/report.ts';
import { stackFrameSchema } from '../../apps/debug/contract/stack-frame.ts';
import * as status from '../../apps/debug/contract/status-message.ts';
import { valueNodeSchema } from '../../apps/debug/contract/value-node.ts';

export const PYTHON_TYPES = 'python/klendathu/src/klendathu/_wire.py';

/** The classes of the Python module, by their names. A class is defined before those that need it at run time. */
const CLASSES: Readonly<Record<string, z.ZodType>> = {
  StackFrame: stackFrameSchema,
  ContextEntry: contextEntrySchema,
  ErrorSummary: errorSummarySchema,
  Budget: budgetSchema,
  ValueNode: valueNodeSchema,
  ConsoleEntry: consoleEntrySchema,
  InvestigateInput: investigateInputSchema,
  ImplementInput: implementInputSchema,
  LogMessage: status.logMessageSchema,
  ServerStarted: status.serverStartedSchema,
  TurnMessage: status.turnMessageSchema,
  ToolCallMessage: status.toolCallMessageSchema,
  ToolResultMessage: status.toolResultMessageSchema,
  SummaryMessage: status.summaryMessageSchema,
  RootCause: report.rootCauseSchema,
  Evidence: report.evidenceSchema,
  Fix: report.fixSchema,
  Findings: report.findingsSchema,
  ReportData: report.reportSchema,
  DebugRecord: debugRecordSchema,
};

interface JsonSchema {
  $ref?: string;
  const?: unknown;
  enum?: unknown[];
  type?: string;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

const SIMPLE: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };

/** Python types of JSON Schemas. Objects inside others become classes of their own in `out`. */
function toType(schema: JsonSchema, name: string, out: string[]): string {
  if (schema.$ref !== undefined) return schema.$ref;
  if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`;
  if (schema.enum) return `Literal[${schema.enum.map((value) => JSON.stringify(value)).join(', ')}]`;
  if (schema.type === 'array') return `list[${toType(schema.items ?? {}, `${name}Item`, out)}]`;
  if (schema.properties) {
    toClass(schema, name, out);
    return name;
  }
  if (schema.type === 'object') return 'dict[str, Any]';
  return SIMPLE[schema.type ?? ''] ?? 'Any';
}

/** Two classes, because `NotRequired` is missing in Python 3.10: the required keys, and the others. */
function toClass(schema: JsonSchema, name: string, out: string[]): void {
  const lines = (keys: readonly string[]) =>
    keys.map((key) => {
      const inner = `${name}${key[0]?.toUpperCase()}${key.slice(1)}`;
      return `    ${key}: ${toType(schema.properties?.[key] ?? {}, inner, out)}`;
    });
  const keys = Object.keys(schema.properties ?? {});
  const required = lines(keys.filter((key) => schema.required?.includes(key)));
  const optional = lines(keys.filter((key) => !schema.required?.includes(key)));
  const body = (of: readonly string[]) => (of.length > 0 ? of : ['    pass']).join('\n');
  if (optional.length === 0) out.push(`class ${name}(TypedDict):\n${body(required)}`);
  else if (required.length === 0) out.push(`class ${name}(TypedDict, total=False):\n${body(optional)}`);
  else {
    out.push(`class _${name}(TypedDict):\n${body(required)}`);
    out.push(`class ${name}(_${name}, total=False):\n${body(optional)}`);
  }
}

/** The tools as the MCP server lists them. */
function toTools(tools: Readonly<Record<string, { description: string; input: z.ZodType; output: z.ZodType }>>) {
  return Object.entries(tools).map(([name, { description, input, output }]) => ({
    name,
    description,
    inputSchema: z.toJSONSchema(input, { io: 'input' }),
    outputSchema: z.toJSONSchema(output, { io: 'output' }),
  }));
}

/** JSON as a raw string of Python, which `json.loads` reads. */
function toText(value: unknown): string {
  const text = JSON.stringify(value, null, 1);
  if (text.includes("'''")) throw new Error("A description holds ''', which ends a string of Python.");
  return `r'''${text}'''`;
}

/** The module of the Python package with the messages and tools of the wire. */
export function toPythonTypes(): string {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(CLASSES)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => id, io: 'output' });
  const classes: string[] = [];
  for (const name of Object.keys(CLASSES)) toClass(schemas[name] as JsonSchema, name, classes);
  const codes = Object.entries(FAILURE_CODES);
  const messages = Object.keys(CLASSES).filter((name) => /Message$|^ServerStarted$/.test(name));
  return `"""Messages, records and tools of the wire.

Generated from apps/debug/contract by scripts/klendathu/python-types.ts: \`npm run docs\`.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

PROTOCOL_VERSION = ${PROTOCOL_VERSION}

CHILD_NAMES = frozenset(
    [
${CHILD_NAMES.map((name) => `        ${JSON.stringify(name)},`).join('\n')}
    ]
)

CHILD_PATTERN = r"${CHILD_PATTERN}"

FailureCode = Literal[
${codes.map(([code]) => `    ${JSON.stringify(code)},`).join('\n')}
]

FAILURE_CODES: dict[FailureCode, int] = {
${codes.map(([code, exit]) => `    ${JSON.stringify(code)}: ${exit},`).join('\n')}
}


${classes.join('\n\n\n')}


StatusMessage = Union[${messages.join(', ')}]

DEBUG_TOOLS_JSON = ${toText(toTools(DEBUG_TOOLS))}

IMPLEMENT_TOOLS_JSON = ${toText(toTools(IMPLEMENT_TOOLS))}
`;
}
