import { headOf } from '@klaus/core/cut-text';
import { formatPatch, structuredPatch } from 'diff';
import type { Agents, FoundAgent, Intent } from '@klaus/core/agent';
import { toGrantText } from '@klaus/core/policy';
import type { AgentDefinition } from '@klaus/core/protocol';

interface AgentChange {
  verb: 'create' | 'modify' | 'delete';
  name: string;
  /** Why the agent needs its authority, in the words of the caller. */
  reason: string;
  before?: AgentDefinition;
  after?: AgentDefinition;
  /** True if it applies only to this project. */
  isOfProject: boolean;
}

/**
 * The intent of a change of a definition. The gate compares the authority of the agent with what the session may
 * delegate: for a deletion, that of the deleted agent.
 */
export function toAgentIntent(agents: Agents, change: AgentChange): Intent {
  const { verb, name, reason, before, after, isOfProject } = change;
  const judged = after ?? before;
  const patch = structuredPatch(`${name}.md`, `${name}.md`, toText(before), toText(after), '', '');
  return {
    title: `${verb} the agent ${name}, because: ${JSON.stringify(headOf(reason, 200))}`,
    access: [],
    diff: formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: true }),
    // Later sessions get the text of the definition as their instructions.
    ...(after && { isForLater: true as const }),
    ...(judged && { delegates: { agent: name, ...toDelegated(agents, judged, isOfProject) } }),
  };
}

function toDelegated(agents: Agents, definition: AgentDefinition, isOfProject: boolean) {
  const text = toGrantText(agents.grantOf(definition).grant);
  if (isOfProject) return { grant: agents.grantOf(definition).grant, text };
  return { grant: agents.grantOf(definition, { place: 'everywhere' }).grant, text: `${text}, in every project` };
}

/** What approvers see of a definition. */
function toText(definition: AgentDefinition | undefined): string {
  if (!definition) return '';
  const { systemPrompt, ...head } = definition;
  const fields = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `${fields.join('')}\n${systemPrompt}\n`;
}

/** One line that describes an agent to a model. */
export function describeAgent(agents: Agents, found: FoundAgent): string {
  const { name, from, definition } = found;
  const { description, model } = definition;
  const grant = toGrantText(agents.grantOf(definition).grant);
  const place = from === 'project' ? 'this project' : 'all projects';
  const trust = agents.untrusted(found).length > 0 ? ' The user has not trusted it.' : '';
  return `${name} (${place}): ${description} Authority: ${grant}.${trust}${model === undefined ? '' : ` Model: ${model}.`}`;
}
