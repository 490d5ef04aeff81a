import { NETWORK_PRESET_NAMES, NETWORK_PRESETS, type NetworkPreset } from '@klaus/core/protocol';
import { Globe } from 'lucide-react';
import { NETWORK_TITLES } from '../settings/network-titles.ts';
import { useText } from '../text/text.ts';
import { Menu } from '../ui/menu.tsx';

interface NetworkPickerProps {
  chosen: readonly NetworkPreset[];
  onChange: (chosen: readonly NetworkPreset[]) => void;
}

/** The hosts that commands of the new session reach without an approval. Default: none. */
export function NetworkPicker({ chosen, onChange }: NetworkPickerProps) {
  const t = useText();
  const names = chosen.map((preset) => NETWORK_TITLES[preset]).join(', ') || t.home.noNetwork;
  const toggle = (preset: NetworkPreset) =>
    onChange(NETWORK_PRESET_NAMES.filter((it) => (it === preset ? !chosen.includes(it) : chosen.includes(it))));
  return (
    <Menu
      label={t.home.network(names)}
      align="start"
      items={NETWORK_PRESET_NAMES.map((preset) => ({
        key: preset,
        label: NETWORK_TITLES[preset],
        description: NETWORK_PRESETS[preset].join(', '),
        isChosen: chosen.includes(preset),
        isMultiple: true,
        run: () => toggle(preset),
      }))}
    >
      <Globe size={14} />
      <span className="ellipsis">{names}</span>
    </Menu>
  );
}
