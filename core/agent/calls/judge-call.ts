import { describeUnknownField, findUnknownFields, KlausError, toKlausError, USE_TOOL } from '../../protocol/index.ts';
import type { CallState } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import { describeCut } from '../model/describe-cut.ts';
import { findJsonFault } from '../model/json-fault.ts';
import { isSessionTool } from '../ports/session-tools.ts';
import type { Tool } from '../ports/tool.ts';
import { refuseCall } from './call-events.ts';
import type { JudgedCall } from './judged-call.ts';
import { findTool } from './session-tools.ts';
import { createToolContext } from './tool-context.ts';
import { toInputSchema } from './tool-registry.ts';

const WRONG_USE =
  'Invalid input for use_tool: it takes name, the name of another tool, and input, an object with the fields of that tool. tool_search shows them.';

/** Issues of an invalid input that the model gets. */
const MAX_ISSUES = 8;

const schemas = new WeakMap<Tool<unknown>, Readonly<Record<string, unknown>>>();

function toSchema(tool: Tool<unknown>): Readonly<Record<string, unknown>> {
  const schema = tool.inputSchema ?? schemas.get(tool) ?? toInputSchema(tool);
  schemas.set(tool, schema);
  return schema;
}

/** Validates a call, determines its access, and asks the gate. Changes nothing. */
export async function judgeCall(work: Work, call: CallState): Promise<JudgedCall> {
  const given = work.originals.has(call.id) ? work.originals.get(call.id) : call.input;
  const refuseInput = (message: string): JudgedCall =>
    refuseCall(work, call, { rule: 'input', error: { message }, detail: { code: 'tool.input' } });
  if (call.cut) {
    const error = { message: describeCut(call.cut) };
    return refuseCall(work, call, { rule: 'input', error, detail: { code: 'tool.cut' } });
  }
  // The logged text, because the history has the same: it may differ from the original by redactions.
  const fault = typeof call.input === 'string' ? findJsonFault(call.input) : undefined;
  if (fault) return refuseInput(`The arguments of ${call.name} are not valid JSON: ${fault}. Send the call again.`);
  if (call.name === USE_TOOL) return refuseInput(WRONG_USE);
  let tool: Tool<unknown>;
  try {
    tool = await findTool(work, call.name);
    if (tool.userOnly && call.by !== 'user')
      throw new KlausError('tool.unknown', `Only the user calls the tool ${call.name}.`);
  } catch (error) {
    return refuseCall(work, call, { rule: 'tool', error: toKlausError(error) });
  }
  let parsed: ReturnType<typeof tool.input.safeParse>;
  try {
    parsed = tool.input.safeParse(given);
  } catch (error) {
    return refuseInput(`Invalid input for ${call.name}: ${toKlausError(error).message}.`);
  }
  // A validator drops them silently, so that the call would do something else than it says.
  const unknown = findUnknownFields(toSchema(tool), given, { accepts: isSessionTool(call.name) ? 'unlike' : 'none' });
  const others = (parsed.error?.issues ?? []).filter(
    ({ code }) => unknown.length === 0 || code !== 'unrecognized_keys',
  );
  const issues = [
    ...unknown.map(describeUnknownField),
    ...others.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}.`),
  ];
  if (!parsed.success || unknown.length > 0)
    return refuseInput(`Invalid input for ${call.name}: ${issues.slice(0, MAX_ISSUES).join(' ')}`);
  const context = await createToolContext(work, call.id);
  return work.activities.judge(work, { call, tool, input: parsed.data, context });
}
