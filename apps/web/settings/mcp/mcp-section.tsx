import { useState } from 'react';
import { client } from '../../state/client.ts';
import { host } from '../../state/host.ts';
import { useStore } from '../../state/store.ts';
import { useSettingsText } from '../../text/settings/settings-text.ts';
import { Empty, Pending } from '../../ui/empty.tsx';
import { useQuery } from '../../ui/use-query.ts';
import { AddForm } from './add-form.tsx';
import { McpRow } from './mcp-row.tsx';
import './mcp.css';

/** The MCP servers of a workspace and of the user. Nothing is started before the user asks for it. */
export function McpSection() {
  const t = useSettingsText();
  const { settings } = useStore(host);
  const folders = useQuery('workspaces', (signal) => client.workspaces({ signal }));
  const [chosen, setChosen] = useState<string>();
  const workspace = chosen ?? settings?.workspace;
  const query = useQuery(`mcp-servers ${workspace}`, (signal) =>
    client.mcpServers({ query: { workspace } }, { signal }),
  );
  const shown = folders.value?.workspaces.filter(({ exists }) => exists) ?? [];
  const servers = query.value?.servers;
  return (
    <div className="mcp column">
      {shown.length > 1 ? (
        <label className="line memory-folder">
          {t.mcp.workspace}
          <select className="field" value={workspace} onChange={({ target }) => setChosen(target.value)}>
            {shown.map(({ path }) => (
              <option key={path}>{path}</option>
            ))}
          </select>
        </label>
      ) : null}
      <Pending query={query} title={t.mcp.failed} rows={3} />
      {servers?.length === 0 ? <Empty title={t.mcp.empty} hint={t.mcp.emptyHint} /> : null}
      <ul className="settings-rows">
        {servers?.map((server) => (
          <McpRow
            key={`${workspace} ${server.from} ${server.name}`}
            server={server}
            workspace={workspace}
            onChange={query.refetch}
          />
        ))}
      </ul>
      <AddForm workspace={workspace} onAdded={query.refetch} />
    </div>
  );
}
