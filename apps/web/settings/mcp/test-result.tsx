import type { McpTestView } from '@klaus/server/contract';
import type { ReactNode } from 'react';
import { useSettingsText } from '../../text/settings/settings-text.ts';

/** What a server has, and what is wrong with its tools. */
export function TestResult({ result }: { result: McpTestView }) {
  const t = useSettingsText();
  const { server, protocol, tools, problems, prompts, resources, warning } = result;
  return (
    <div className="mcp-result column" role="group" aria-label={t.mcp.protocol(server, protocol)}>
      <p className="small wrap">
        <strong>{t.mcp.protocol(server, protocol)}</strong> · {t.mcp.tools(tools.length)} ·{' '}
        {t.mcp.offers(prompts, resources)}
      </p>
      {problems.length > 0 ? (
        <ul className="column">
          {problems.map(({ tool, problem, isLost }) => (
            <li key={`${tool} ${problem}`} className={`small wrap ${isLost ? 'bad' : 'warn'}`}>
              <code>{tool}</code> {problem} ({isLost ? t.mcp.lost : t.mcp.kept})
            </li>
          ))}
        </ul>
      ) : null}
      {warning === '' ? null : <p className="small warn wrap">{warning}</p>}
      <ToolList tools={tools} />
    </div>
  );
}

interface ToolListProps {
  tools: McpTestView['tools'];
  /** What is beside each tool. */
  mark?: (name: string) => ReactNode;
}

/** The names of tools with what they say about themselves. */
export function ToolList({ tools, mark }: ToolListProps) {
  const t = useSettingsText();
  return (
    <ul className="mcp-tools column" tabIndex={0} aria-label={t.mcp.tools(tools.length)}>
      {tools.map(({ name, description, reads }) => (
        <li key={name} className="column">
          <div className="line mcp-tool">
            <code className="grow">{name}</code>
            {reads ? <span className="small muted">{t.mcp.reads}</span> : null}
            {mark?.(name)}
          </div>
          <p className="small wrap" dir="auto">
            {description}
          </p>
        </li>
      ))}
    </ul>
  );
}
