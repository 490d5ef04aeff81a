import { useEffect } from 'react';
import { basePath } from '../state/base-path.ts';
import { host } from '../state/host.ts';
import { isOwn } from '../state/session-tree.ts';
import { useStore } from '../state/store.ts';

/** The icon of the tab shows whether a session needs the user or runs. */
export function useTabIcon(): void {
  const { sessions } = useStore(host);
  const states = new Set([...sessions.values()].filter((each) => isOwn(each, sessions)).map(({ state }) => state));
  const name = states.has('needs-you') ? 'favicon-needs-you' : states.has('running') ? 'favicon-running' : 'favicon';
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (link) link.href = `${basePath}/${name}.svg`;
  }, [name]);
}
