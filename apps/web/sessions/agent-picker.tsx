import { BUILT_IN_AGENT, type AgentView } from '@klaus/server/contract';
import { Bot } from 'lucide-react';
import { formatAgo } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Picker } from '../ui/picker.tsx';

interface AgentPickerProps {
  agents: readonly AgentView[];
  /** Default: the built-in one. */
  agent: string | undefined;
  onChange: (agent: string) => void;
}

export function AgentPicker({ agents, agent = BUILT_IN_AGENT, onChange }: AgentPickerProps) {
  const t = useText();
  const toName = (name: string) => (name === BUILT_IN_AGENT ? t.app.name : name);
  return (
    <Picker
      label={t.home.agent(toName(agent))}
      items={agents.map(({ name, description, capabilities, isChatOnly, lastUsed }) => ({
        key: name,
        label: toName(name),
        description: `${description} (${capabilities.join(', ') || (isChatOnly ? t.home.noCapabilities : t.home.ownGrants)})`,
        hint: lastUsed === null ? t.home.neverUsed : formatAgo(Date.parse(lastUsed), Date.now()),
        isChosen: name === agent,
        run: () => onChange(name),
      }))}
    >
      <Bot size={14} />
      <span className="ellipsis">{toName(agent)}</span>
    </Picker>
  );
}
