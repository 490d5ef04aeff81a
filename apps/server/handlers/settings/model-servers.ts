import type { ServerCheck } from '@klaus/sdk';
import { checkSettingsEnabled } from '../../access/settings-enabled.ts';
import type { ModelServerTest } from '../../contract/index.ts';
import type { PartialHandlers } from '../../http/handler.ts';
import { Refusal } from '../../http/problem.ts';

export const modelServerHandlers = {
  async modelServers(_given, { klaus }) {
    await checkSettingsEnabled(klaus);
    return { servers: await klaus.modelServers.list() };
  },

  async tryModelServer({ body }, { klaus }) {
    await checkSettingsEnabled(klaus);
    return toTest(await klaus.modelServers.check(body));
  },

  async addModelServer({ body: { name, isDefault, force, ...server } }, { klaus }) {
    await checkSettingsEnabled(klaus);
    const test = toTest(await klaus.modelServers.check(server));
    const isStored = test.result === 'accepted' || force;
    if (isStored) await klaus.modelServers.add(name, server, isDefault);
    return { isStored, test };
  },

  async testModelServer({ params: { name } }, { klaus }) {
    await checkSettingsEnabled(klaus);
    return toTest(await klaus.modelServers.checkEntry(name));
  },

  async removeModelServer({ params: { name } }, { klaus }) {
    await checkSettingsEnabled(klaus);
    await klaus.modelServers.remove(name);
    return {};
  },

  async localModels(_given, { klaus }) {
    await checkSettingsEnabled(klaus);
    const found = await klaus.localServers.find();
    return { servers: found.map(({ text: _, models, ...server }) => ({ ...server, models: [...models] })) };
  },

  async useLocalModel({ body: { model, address, user, program, isDefault } }, { klaus }) {
    await checkSettingsEnabled(klaus);
    const found = await klaus.localServers.find(model);
    const server = found.find((one) => one.models.includes(model));
    const isSame = server?.address === address && server.user === user && server.program === program;
    if (!server || !isSame) {
      throw new Refusal(409, 'usage', {
        title: `${model} is not at ${address} any more, or another program is there.`,
        detail: 'Look for the programs again.',
      });
    }
    // Refused before anything is allowed, if a stronger source sets the model.
    if (isDefault) await klaus.settings.change('model', model);
    klaus.localServers.allow(server);
    return { model };
  },
} satisfies PartialHandlers;

function toTest(check: ServerCheck): ModelServerTest {
  const { result, models } = check;
  return { result, message: check.result === 'accepted' ? null : check.message, models };
}
