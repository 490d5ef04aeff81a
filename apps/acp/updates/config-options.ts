import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk/unstable';
import type { Effort, Mode } from '@klaus/sdk';
import type { ClientModel } from '@klaus/sdk/client';

/** The approval modes, narrowest first. */
const MODES: Readonly<Record<Mode, { name: string; description: string }>> = {
  plan: { name: 'Plan', description: 'Read only. Everything else is denied.' },
  ask: { name: 'Ask', description: 'Everything except reading needs an approval.' },
  edits: { name: 'Edits', description: 'Edits in the workspace are allowed. Everything else needs an approval.' },
  auto: { name: 'Auto', description: 'Everything that the grant and the sandbox allow runs without an approval.' },
};

const EFFORTS: Readonly<Record<Effort, string>> = { low: 'Low', medium: 'Medium', high: 'High', max: 'Maximum' };
/** The value of the option while no effort was chosen, which cannot be chosen again. */
const DEFAULT_EFFORT = 'default';

/** What a user can choose in a session. */
export interface Choice {
  mode: Mode;
  /** Full name. */
  model: string;
  /** Undefined: the default of the model. */
  effort: Effort | undefined;
  models: readonly ClientModel[];
}

export function isMode(text: string): text is Mode {
  return Object.hasOwn(MODES, text);
}

/** The modes for editors without configuration options. */
export function toModes(mode: Mode): SessionModeState {
  const availableModes = Object.entries(MODES).map(([id, text]) => ({ id, ...text }));
  return { currentModeId: mode, availableModes };
}

export function isEffort(text: string): text is Effort {
  return Object.hasOwn(EFFORTS, text);
}

export function toConfigOptions({ mode, model, effort, models }: Choice): SessionConfigOption[] {
  const usable = models.filter((each) => each.usable || each.name === model);
  const offered = usable.some(({ name }) => name === model) ? usable : [{ name: model, contextWindow: 0 }, ...usable];
  return [
    {
      type: 'select',
      id: 'mode',
      name: 'Approval mode',
      category: 'mode',
      currentValue: mode,
      options: Object.entries(MODES).map(([value, text]) => ({ value, ...text })),
    },
    {
      type: 'select',
      id: 'model',
      name: 'Model',
      category: 'model',
      currentValue: model,
      options: offered.map(({ name, contextWindow }) => ({
        value: name,
        name,
        ...(contextWindow > 0 ? { description: `Context window of ${contextWindow} tokens.` } : {}),
      })),
    },
    {
      type: 'select',
      id: 'effort',
      name: 'Effort',
      description: 'How much the model reasons.',
      category: 'thought_level',
      currentValue: effort ?? DEFAULT_EFFORT,
      options: [
        ...(effort === undefined ? [{ value: DEFAULT_EFFORT, name: 'Default of the model' }] : []),
        ...Object.entries(EFFORTS).map(([value, name]) => ({ value, name })),
      ],
    },
  ];
}
