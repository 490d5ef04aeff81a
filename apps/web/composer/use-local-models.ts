import type { LocalServerView } from '@klaus/server/contract';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { useAccess } from '../state/access.ts';
import { client } from '../state/client.ts';
import { host } from '../state/host.ts';
import { closeOverlay, overlay } from '../state/overlay.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import type { PickerItem } from '../ui/picker.tsx';

/**
 * The models of programs on the machine of the server, such as Ollama, for a picker. `look` looks for them, if the user may
 * use them. Before the first use of a program, the user is asked.
 */
export function useLocalModels(current: string, onChange: (model: string) => void) {
  const t = useText();
  const isAdmin = useAccess('admin');
  const { settings, models } = useStore(host);
  const [servers, setServers] = useState<readonly LocalServerView[]>([]);
  const look = () => {
    if (!isAdmin || settings?.hasSettings !== true) return;
    // A list without them is complete enough: the settings name the failure.
    client.localModels().then(
      (answer) => setServers(answer.servers),
      () => setServers([]),
    );
  };
  const allow = async ({ address, user, program }: LocalServerView, model: string) => {
    closeOverlay();
    const body = { model, address, user, program, isDefault: false };
    if (await attempt(() => client.useLocalModel({ body }))) onChange(model);
  };
  const items = servers.flatMap((server) =>
    server.models
      .filter((model) => !models.some(({ name }) => name === model))
      .map((model): PickerItem => ({
        key: model,
        group: t.composer.onMachine,
        label: model.slice(model.indexOf('/') + 1),
        description: `${server.title} · ${server.address}`,
        hint: model === current ? t.composer.modelCurrent : server.isAllowed ? '' : t.composer.modelAsks,
        isChosen: model === current,
        run() {
          if (server.isAllowed) onChange(model);
          else overlay.set({ kind: 'use-local', server, model, onUse: () => void allow(server, model) });
        },
      })),
  );
  return { items, look };
}
