import { BUILT_IN_AGENT } from '@klaus/server/contract';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { showToast } from '../state/toasts.ts';
import { useBoardText } from '../text/board-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { useQuery } from '../ui/use-query.ts';

/** Most agents that one form starts. */
const MAX_COUNT = 10;

/** Starts several agents with one prompt. */
export function StartForm({ onStarted }: { onStarted: (sessions: string[]) => void }) {
  const t = useBoardText();
  const words = useText();
  const agents = useQuery('agents of the board', (signal) => client.agents({ query: {} }, { signal }));
  const [prompt, setPrompt] = useState('');
  const [agent, setAgent] = useState<string>(BUILT_IN_AGENT);
  const [count, setCount] = useState(2);
  const [isStarting, setStarting] = useState(false);
  const start = async (event: Pick<Event, 'preventDefault'>) => {
    event.preventDefault();
    setStarting(true);
    const sessions: string[] = [];
    for (let at = 0; at < count; at++) {
      const body = { text: prompt, ...(agent === BUILT_IN_AGENT ? {} : { agent }) };
      const opened = await attempt(() => client.openSession({ body }));
      if (!opened) break;
      sessions.push(opened.session);
    }
    setStarting(false);
    if (sessions.length > 0) showToast({ kind: 'info', text: t.started(sessions.length) });
    if (sessions.length === count) setPrompt('');
    onStarted(sessions);
  };
  return (
    <form className="board-start line" aria-label={t.start} onSubmit={(event) => void start(event)}>
      <label className="column grow">
        <span className="small muted">{t.prompt}</span>
        <textarea
          className="field"
          rows={2}
          required
          maxLength={20_000}
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
        />
      </label>
      <label className="column">
        <span className="small muted">{t.agent}</span>
        <select className="field" value={agent} onChange={(event) => setAgent(event.target.value)}>
          {(agents.value?.agents ?? [{ name: BUILT_IN_AGENT }]).map(({ name }) => (
            <option key={name} value={name}>
              {name === BUILT_IN_AGENT ? words.app.name : name}
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
          max={MAX_COUNT}
          value={count}
          onChange={(event) => setCount(Math.min(MAX_COUNT, Math.max(1, event.target.valueAsNumber || 1)))}
        />
      </label>
      <Button type="submit" variant="primary" disabled={isStarting || prompt.trim() === ''}>
        {t.submit}
      </Button>
      <p className="small muted board-note">{t.sameFolder}</p>
    </form>
  );
}
