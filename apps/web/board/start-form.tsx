import { BUILT_IN_AGENT } from '@klaus/server/contract';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { showToast } from '../state/toasts.ts';
import { useBoardText } from '../text/board-text.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { useQuery } from '../ui/use-query.ts';

/** Most agents that one form starts. */
const MAX_COUNT = 10;

const PLACES = ['copy', 'changes', 'folder'] as const;
type Place = (typeof PLACES)[number];

interface Team {
  agent: string;
  count: number;
}

/** Starts several agents with one prompt, each in a working copy of its own or all in the same folder. */
export function StartForm({ onStarted }: { onStarted: (sessions: string[], isAll: boolean) => void }) {
  const t = useBoardText();
  const [prompt, setPrompt] = useState('');
  const [teams, setTeams] = useState<readonly Team[]>([{ agent: BUILT_IN_AGENT, count: 2 }]);
  const [place, setPlace] = useState<Place>('copy');
  const [isStarting, setStarting] = useState(false);
  const agents = teams.flatMap(({ agent, count }) => Array.from({ length: count }, () => agent));
  const start = async (event: Pick<Event, 'preventDefault'>) => {
    event.preventDefault();
    setStarting(true);
    const sessions: string[] = [];
    for (const agent of agents) {
      const body = {
        text: prompt,
        attended: true,
        ...(agent === BUILT_IN_AGENT ? {} : { agent }),
        ...(place === 'folder' ? {} : { workingCopy: { withChanges: place === 'changes' } }),
      };
      const opened = await attempt(() => client.openSession({ body }));
      if (!opened) break;
      sessions.push(opened.session);
    }
    setStarting(false);
    if (sessions.length > 0) showToast({ kind: 'info', text: t.started(sessions.length), lastsMs: 8_000 });
    onStarted(sessions, sessions.length === agents.length);
  };
  return (
    <form className="board-start line" aria-label={t.heading} onSubmit={(event) => void start(event)}>
      <h2>{t.heading}</h2>
      <label className="column board-prompt">
        <span className="small muted">{t.prompt}</span>
        <textarea
          className="field"
          autoFocus
          rows={2}
          required
          maxLength={20_000}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
        />
      </label>
      <Teams teams={teams} total={agents.length} onChange={setTeams} />
      <label className="column board-place">
        <span className="small muted">{t.place}</span>
        <select className="field" value={place} onChange={(event) => setPlace(event.target.value as Place)}>
          {PLACES.map((each) => (
            <option key={each} value={each}>
              {t.places[each]}
            </option>
          ))}
        </select>
      </label>
      <Button needs="operator" type="submit" variant="primary" disabled={isStarting || prompt.trim() === ''}>
        {t.submit(agents.length)}
      </Button>
      <p className="small muted board-note">{t.placeHints[place]}</p>
    </form>
  );
}

interface TeamsProps {
  teams: readonly Team[];
  total: number;
  onChange: (teams: readonly Team[]) => void;
}

/** Which agents start, and how many of each. */
function Teams({ teams, total, onChange }: TeamsProps) {
  const t = useBoardText();
  const words = useText();
  const listed = useQuery('agents of the board', (signal) => client.agents({ query: {} }, { signal }));
  const agents = listed.value?.agents ?? [{ name: BUILT_IN_AGENT }];
  const nameOf = (agent: string) => (agent === BUILT_IN_AGENT ? words.app.name : agent);
  const change = (at: number, team: Partial<Team>) =>
    onChange(teams.map((each, index) => (index === at ? { ...each, ...team } : each)));
  const next = agents.find(({ name }) => teams.every(({ agent }) => agent !== name))?.name;
  return (
    <div className="column board-teams">
      {teams.map(({ agent, count }, at) => (
        <div key={agent} className="line">
          <label className="column">
            <span className="small muted">{t.agent}</span>
            <select className="field" value={agent} onChange={(event) => change(at, { agent: event.target.value })}>
              {agents
                .filter(({ name }) => name === agent || teams.every((team) => team.agent !== name))
                .map(({ name }) => (
                  <option key={name} value={name}>
                    {nameOf(name)}
                  </option>
                ))}
            </select>
          </label>
          <label className="column">
            <span className="small muted">{t.count}</span>
            <input
              className="field number"
              type="number"
              min={1}
              max={MAX_COUNT - total + count}
              value={count}
              onChange={(event) => {
                const most = MAX_COUNT - total + count;
                change(at, { count: Math.min(most, Math.max(1, event.target.valueAsNumber || 1)) });
              }}
            />
          </label>
          {teams.length > 1 ? (
            <IconButton
              label={t.removeAgent(nameOf(agent))}
              icon={X}
              onClick={() => onChange(teams.filter((_, index) => index !== at))}
            />
          ) : null}
          {at === teams.length - 1 && next !== undefined ? (
            <IconButton
              label={t.addAgent}
              icon={Plus}
              disabled={total >= MAX_COUNT}
              onClick={() => onChange([...teams, { agent: next, count: 1 }])}
            />
          ) : null}
        </div>
      ))}
    </div>
  );
}
