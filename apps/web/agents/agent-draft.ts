import { optional } from '@klaus/core/optional';
import type { AgentDetail } from '@klaus/server/contract';

export type Definition = AgentDetail['definition'];

/** The fields of a definition that the form changes. */
export interface AgentDraft {
  name: string;
  description: string;
  /** Empty: that of the session. */
  model: string;
  capabilities: readonly string[];
  systemPrompt: string;
}

export function toDraft(definition?: Definition): AgentDraft {
  const { name = '', description = '', model = '', capabilities = [], systemPrompt = '' } = definition ?? {};
  return { name, description, model, capabilities, systemPrompt };
}

/** The definition with the changes of the draft. Other fields keep their values. */
export function toDefinition(draft: AgentDraft, before?: Definition): Definition {
  const { model: _model, capabilities: _capabilities, ...rest } = { ...before };
  const { name, description, model, capabilities, systemPrompt } = draft;
  return {
    ...rest,
    name,
    description,
    systemPrompt,
    ...optional({
      model: model || undefined,
      capabilities: capabilities.length > 0 || before?.capabilities ? [...capabilities] : undefined,
    }),
  };
}

/** Names of the fields that the form shows. */
export const DRAFT_FIELDS: readonly string[] = Object.keys(toDraft());
